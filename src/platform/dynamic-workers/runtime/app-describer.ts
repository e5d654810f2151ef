import * as platform from "cloudflare:workers";
import { claimFollowConsole } from "berth-console";
import { claimWatchRun } from "berth-loop-guard";
import type { Thrown } from "../run-messages.ts";
import { describeThrown } from "./describe-thrown.ts";
import { registeredApps } from "./registered-apps.ts";

// Claimed and saved before the app runs, which could claim or replace them. Its logs are discarded.
claimFollowConsole();
const watchRun = claimWatchRun();
const { abortIsolate } = platform;
const NativeResponse = Response;
const toJson = Response.json.bind(Response);
const app = await import("app.js");

export interface AppDescription {
  name: string;
  actions: string[];
}

/** `thrown` by the app while it was described. */
export type DescribeAnswer = { apps: AppDescription[] } | { thrown: Thrown };

let endApp: (() => void) | undefined;

export class Describe extends platform.WorkerEntrypoint {
  override async fetch(): Promise<Response> {
    // Only the first call starts a watch: a call by the app itself must not restart it after its end.
    endApp ??= watchRun(() => undefined);
    return toJson(describeApp());
  }
}

/** Aborts this Worker and frees its memory. Not a class, because the app could replace a method of one. */
export const Shutdown = Object.freeze({
  fetch(): Response {
    endApp?.();
    abortIsolate?.("retired");
    return new NativeResponse(null, { status: 204 });
  },
});

// The app can also import this module.
Object.freeze(Describe);
Object.freeze(Describe.prototype);

function describeApp(): DescribeAnswer {
  try {
    return {
      apps: [...registeredApps(app).values()].map(({ name, actions }) => ({
        name,
        actions: [...actions.keys()],
      })),
    };
  } catch (error) {
    return { thrown: describeThrown(error) };
  }
}
