import { ErrorBoundary, lazy, Route, Router } from "preact-iso";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Overview } from "../views/overview.tsx";
import { useIdentity } from "./identity.ts";

// Each view is a file of its own, which loads when it is first shown.
const SessionList = lazy(() =>
  import("../views/sessions/session-list.tsx").then((module) => module.SessionList),
);
const CreateSession = lazy(() =>
  import("../views/sessions/create-session.tsx").then((module) => module.CreateSession),
);
const SessionView = lazy(() =>
  import("../views/session/session-view.tsx").then((module) => module.SessionView),
);
const PoolList = lazy(() => import("../views/pools/pool-list.tsx").then((module) => module.PoolList));
const CreatePool = lazy(() => import("../views/pools/create-pool.tsx").then((module) => module.CreatePool));
const PoolView = lazy(() => import("../views/pools/pool-view.tsx").then((module) => module.PoolView));
const ProfileList = lazy(() =>
  import("../views/profiles/profile-list.tsx").then((module) => module.ProfileList),
);
const ProfileView = lazy(() =>
  import("../views/profiles/profile-view.tsx").then((module) => module.ProfileView),
);
const ProxyList = lazy(() => import("../views/proxies/proxy-list.tsx").then((module) => module.ProxyList));
const CreateProxy = lazy(() =>
  import("../views/proxies/create-proxy.tsx").then((module) => module.CreateProxy),
);
const ProxyView = lazy(() => import("../views/proxies/proxy-view.tsx").then((module) => module.ProxyView));
const ExtensionList = lazy(() =>
  import("../views/extensions/extension-list.tsx").then((module) => module.ExtensionList),
);
const ExtensionView = lazy(() =>
  import("../views/extensions/extension-view.tsx").then((module) => module.ExtensionView),
);
const AppList = lazy(() => import("../views/apps/app-list.tsx").then((module) => module.AppList));
const DeploymentList = lazy(() =>
  import("../views/deployments/deployment-list.tsx").then((module) => module.DeploymentList),
);
const DeploymentView = lazy(() =>
  import("../views/deployments/deployment-view.tsx").then((module) => module.DeploymentView),
);
const InvocationList = lazy(() =>
  import("../views/invocations/invocation-list.tsx").then((module) => module.InvocationList),
);
const CreateInvocation = lazy(() =>
  import("../views/invocations/create-invocation.tsx").then((module) => module.CreateInvocation),
);
const InvocationView = lazy(() =>
  import("../views/invocations/invocation-view.tsx").then((module) => module.InvocationView),
);
const APIKeyList = lazy(() =>
  import("../views/organization/api-key-list.tsx").then((module) => module.APIKeyList),
);
const Usage = lazy(() => import("../views/organization/usage.tsx").then((module) => module.Usage));
const WebhookList = lazy(() =>
  import("../views/organization/webhook-list.tsx").then((module) => module.WebhookList),
);
const WebhookView = lazy(() =>
  import("../views/organization/webhook-view.tsx").then((module) => module.WebhookView),
);
const AuditLog = lazy(() => import("../views/organization/audit-log.tsx").then((module) => module.AuditLog));
const OrganizationList = lazy(() =>
  import("../views/operator/organization-list.tsx").then((module) => module.OrganizationList),
);
const OrganizationView = lazy(() =>
  import("../views/operator/organization-view.tsx").then((module) => module.OrganizationView),
);
const AllSessions = lazy(() =>
  import("../views/operator/all-sessions.tsx").then((module) => module.AllSessions),
);
const BrowserList = lazy(() =>
  import("../views/operator/browser-list.tsx").then((module) => module.BrowserList),
);
const Capabilities = lazy(() =>
  import("../views/operator/capabilities.tsx").then((module) => module.Capabilities),
);
const Settings = lazy(() => import("../views/operator/settings.tsx").then((module) => module.Settings));

/** The view for the address. */
export function Views() {
  return (
    <ErrorBoundary>
      {useIdentity().kind === "operator" ? <OperatorViews /> : <OrganizationViews />}
    </ErrorBoundary>
  );
}

function OrganizationViews() {
  return (
    <Router>
      <Route path="/console" component={Overview} />
      <Route path="/console/sessions" component={SessionList} />
      <Route path="/console/sessions/new" component={CreateSession} />
      <Route path="/console/sessions/:id" component={SessionView} />
      <Route path="/console/pools" component={PoolList} />
      <Route path="/console/pools/new" component={CreatePool} />
      <Route path="/console/pools/:id" component={PoolView} />
      <Route path="/console/profiles" component={ProfileList} />
      <Route path="/console/profiles/:id" component={ProfileView} />
      <Route path="/console/proxies" component={ProxyList} />
      <Route path="/console/proxies/new" component={CreateProxy} />
      <Route path="/console/proxies/:id" component={ProxyView} />
      <Route path="/console/extensions" component={ExtensionList} />
      <Route path="/console/extensions/:id" component={ExtensionView} />
      <Route path="/console/apps" component={AppList} />
      <Route path="/console/deployments" component={DeploymentList} />
      <Route path="/console/deployments/:id" component={DeploymentView} />
      <Route path="/console/invocations" component={InvocationList} />
      <Route path="/console/invocations/new" component={CreateInvocation} />
      <Route path="/console/invocations/:id" component={InvocationView} />
      <Route path="/console/api-keys" component={APIKeyList} />
      <Route path="/console/usage" component={Usage} />
      <Route path="/console/webhooks" component={WebhookList} />
      <Route path="/console/webhooks/:id" component={WebhookView} />
      <Route path="/console/audit" component={AuditLog} />
      <Route default component={Unknown} />
    </Router>
  );
}

function OperatorViews() {
  return (
    <Router>
      <Route path="/console" component={OrganizationList} />
      <Route path="/console/organizations/:id" component={OrganizationView} />
      <Route path="/console/all-sessions" component={AllSessions} />
      <Route path="/console/browsers" component={BrowserList} />
      <Route path="/console/capabilities" component={Capabilities} />
      <Route path="/console/settings" component={Settings} />
      <Route default component={Unknown} />
    </Router>
  );
}

function Unknown() {
  return (
    <Page title="Page not found">
      <Empty title="There is no such page" action={<a href="/console">To the overview</a>} />
    </Page>
  );
}
