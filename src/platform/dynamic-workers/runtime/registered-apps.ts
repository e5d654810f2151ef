import { appRegistry } from "@onkernel/sdk";

type KernelApp = Pick<ReturnType<typeof appRegistry.getApps>[number], "name" | "actions">;

/** Finds the apps in the registry of this SDK, and exported apps of another copy of the SDK. */
export function registeredApps(app: object): Map<string, KernelApp> {
  const exported = Object.values(app).filter(isApp);
  return new Map([...exported, ...appRegistry.getApps()].map((found) => [found.name, found]));
}

function isApp(value: unknown): value is KernelApp {
  if (typeof value !== "object" || value === null || !("name" in value) || !("actions" in value))
    return false;
  return typeof value.name === "string" && value.actions instanceof Map;
}
