import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Schemas } from "../api/client.ts";

export type ConsoleSession = Schemas["ConsoleSession"];
export type Identity = Exclude<ConsoleSession, { kind: "anonymous" }>;

export const IdentityContext = createContext<Identity | undefined>(undefined);

/** Who is signed in. Views are rendered only while somebody is. */
export function useIdentity(): Identity {
  const identity = useContext(IdentityContext);
  if (identity === undefined) throw new Error("Nobody is signed in");
  return identity;
}
