import { appRegistry } from "@onkernel/sdk";

type KernelApp = Pick<ReturnType<typeof appRegistry.getApps>[number], "name" | "actions">;

/**
 * The apps that this SDK knows of, and those of a copy of the SDK that the code brought along, if it exports them.
 *
 * @param app the module that an app is bundled to.
 */
export function registeredApps(app: object): Map<string, KernelApp> {
  const exported = Object.values(app).filter(isApp);
  return new Map([...exported, ...appRegistry.getApps()].map((found) => [found.name, found]));
}

function isApp(value: unknown): value is KernelApp {
  if (typeof value !== "object" || value === null || !("name" in value) || !("actions" in value))
    return false;
  return typeof value.name === "string" && value.actions instanceof Map;
}
