/**
 * Loaded into `wrangler dev` before its own code. Its proxy takes every connection that breaks while a request comes
 * in, as when a client gives up an upload, for an error of its own, and `wrangler dev` ends with it and all sessions.
 * On the platform such a request ends alone; with this it does here, too.
 */
import { EventEmitter } from "node:events";

const emit = EventEmitter.prototype.emit;

EventEmitter.prototype.emit = function (name: string | symbol, ...args: unknown[]): boolean {
  if (name === "error" && isLostConnection(args[0])) return true;
  return Reflect.apply(emit, this, [name, ...args]);
};

function isLostConnection(event: unknown): boolean {
  return (
    isObject(event) &&
    event.source === "ProxyController" &&
    event.reason === "Error inside ProxyWorker" &&
    // What came from another process is wrapped in an error of this one.
    isObject(event.cause) &&
    isObject(event.cause.cause) &&
    event.cause.cause.message === "Network connection lost."
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
