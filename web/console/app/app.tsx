import { useEffect, useState } from "preact/hooks";
import { LocationProvider } from "preact-iso";
import { actAs, api, read, whenSignedOut } from "../api/client.ts";
import { toError } from "../api/hooks.ts";
import { Failure } from "../ui/states.tsx";
import { showToast, Toasts } from "../ui/toast.tsx";
import { SignIn } from "../views/sign-in.tsx";
import { HandoffWatch } from "./handoffs.tsx";
import { type ConsoleSession, IdentityContext } from "./identity.ts";
import { ProjectScope } from "./projects.tsx";
import { Shell } from "./shell.tsx";
import { Views } from "./views.tsx";

/** Asks who is signed in, and shows the sign-in or the views. */
export function App() {
  const [session, setSession] = useState<ConsoleSession>();
  const [error, setError] = useState<Error>();
  const show = (next: ConsoleSession) => {
    actAs(idOf(next));
    setSession(next);
  };
  const load = () => {
    setError(undefined);
    signInByLink()
      .then((signedIn) => signedIn ?? read(api.GET("/console/session")))
      .then(show, (problem) => setError(toError(problem)));
  };
  useEffect(() => {
    // Another key may be signed in now, as by another tab or by Cloudflare Access.
    whenSignedOut(load);
    load();
  }, []);
  const signOut = async ({ everywhere } = { everywhere: false }) => {
    try {
      await read(everywhere ? api.DELETE("/console/session/sign_ins") : api.DELETE("/console/session"));
      const isByAccess = session !== undefined && session.kind !== "anonymous" && session.by_access;
      if (isByAccess) location.assign("/cdn-cgi/access/logout");
      else show({ kind: "anonymous" });
    } catch (problem) {
      showToast(toError(problem).message, "bad");
    }
  };
  return (
    <LocationProvider scope="/console">
      {session === undefined ? (
        <Starting error={error} retry={load} />
      ) : session.kind === "anonymous" ? (
        <SignIn onSignedIn={show} />
      ) : (
        <IdentityContext.Provider value={session}>
          <ProjectScope key={idOf(session)}>
            <HandoffWatch>
              <Shell signOut={(options) => void signOut(options)}>
                <Views />
              </Shell>
            </HandoffWatch>
          </ProjectScope>
        </IdentityContext.Provider>
      )}
      <Toasts />
    </LocationProvider>
  );
}

/** Signs in with the token of a link that `npm start` prints, if the address has one. */
async function signInByLink(): Promise<ConsoleSession | undefined> {
  const token = new URLSearchParams(location.hash.slice(1)).get("sign-in");
  if (token === null) return undefined;
  // It works only once, and must not stay in the history.
  history.replaceState(history.state, "", location.pathname + location.search);
  return await read(api.POST("/console/session/link", { body: { token } })).catch((problem) => {
    showToast(toError(problem).message, "bad");
    return undefined;
  });
}

function idOf(session: ConsoleSession): string {
  return session.kind === "organization" ? session.api_key.id : session.kind;
}

/** The same as index.html shows before the scripts run. */
function Starting({ error, retry }: { error: Error | undefined; retry: () => void }) {
  return (
    <>
      <header class="topbar">
        <span class="brand">Berth</span>
      </header>
      <main class="boot">
        {error === undefined ? (
          <p role="status">Loading the console…</p>
        ) : (
          <Failure error={error} retry={retry} />
        )}
      </main>
    </>
  );
}
