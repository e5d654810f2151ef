import { Service } from "../conformance/service.ts";
import { addManySessions } from "./many-sessions.ts";

const SETTINGS = {
  // The tests' proxies and sites listen on this machine.
  ALLOW_PRIVATE_ADDRESSES: "true",
  PROXY_CHECK_URL: "http://echo.test/",
};

/** Starts the tests' service. @returns the teardown, which fails if a process or printed secret remains. */
export default async function startService(): Promise<() => Promise<void>> {
  const service = await Service.start({ settings: SETTINGS });
  await service.stop();
  // The database must not change under a running service.
  process.env.MANY_SESSIONS_KEY = addManySessions(service.stateDirectory);
  await service.restart();
  process.env.SERVICE_URL = service.baseURL;
  return () => service.end();
}
