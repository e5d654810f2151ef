import { afterAll, beforeAll } from "vitest";
import { Service, type ServiceOptions } from "./service.ts";

/** For a test file that calls this while it is loaded: a service that runs during the file's tests. */
export async function useService(options?: ServiceOptions): Promise<Service> {
  const service = await Service.create(options);
  beforeAll(() => service.start());
  afterAll(() => service.end());
  return service;
}
