/** The main module of a Worker that tells what an app is. What runs its actions is another one. */
import * as platform from "cloudflare:workers";
import { takeFollowConsole } from "berth-console";
import { takeWatchRun } from "berth-loop-guard";
import type { Thrown } from "../run-messages.ts";
import { describeThrown } from "./describe-thrown.ts";
import { registeredApps } from "./registered-apps.ts";

// Taken before the app runs, which would take them, or may put something else in their place. What it logs goes nowhere.
takeFollowConsole();
const watchRun = takeWatchRun();
const { abortIsolate } = platform;
const NativeResponse = Response;
const toJson = Response.json.bind(Response);
const app = await import("app.js");

/** An app that the code defines, and its actions. */
export interface AppDescription {
  name: string;
  actions: string[];
}

/** What is told of an app, or what it threw when it was looked at. */
export type DescribeAnswer = { apps: AppDescription[] } | { thrown: Thrown };

/** Ends what the app has left under way; undefined before it is described. */
let endApp: (() => void) | undefined;

/** Tells which apps the code defines. */
export class Describe extends platform.WorkerEntrypoint {
  override async fetch(): Promise<Response> {
    // Once: the app can ask, too, and is not to go on after its end by that.
    endApp ??= watchRun(() => undefined);
    return toJson(describeApp());
  }
}

/** Ends this Worker with whatever is still under way in it, and lets its memory go. No class: code could meddle with it. */
export const Retirement = Object.freeze({
  fetch(): Response {
    endApp?.();
    abortIsolate?.("retired");
    return new NativeResponse(null, { status: 204 });
  },
});

// The app can import this module, too.
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
