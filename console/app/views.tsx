import { Route, Router } from "preact-iso";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { AppList } from "../views/apps/app-list.tsx";
import { DeploymentList } from "../views/deployments/deployment-list.tsx";
import { DeploymentView } from "../views/deployments/deployment-view.tsx";
import { ExtensionList } from "../views/extensions/extension-list.tsx";
import { ExtensionView } from "../views/extensions/extension-view.tsx";
import { CreateInvocation } from "../views/invocations/create-invocation.tsx";
import { InvocationList } from "../views/invocations/invocation-list.tsx";
import { InvocationView } from "../views/invocations/invocation-view.tsx";
import { AllSessions } from "../views/operator/all-sessions.tsx";
import { BrowserList } from "../views/operator/browser-list.tsx";
import { Capabilities } from "../views/operator/capabilities.tsx";
import { OrganizationList } from "../views/operator/organization-list.tsx";
import { OrganizationView } from "../views/operator/organization-view.tsx";
import { Settings } from "../views/operator/settings.tsx";
import { APIKeyList } from "../views/organization/api-key-list.tsx";
import { AuditLog } from "../views/organization/audit-log.tsx";
import { Usage } from "../views/organization/usage.tsx";
import { WebhookList } from "../views/organization/webhook-list.tsx";
import { WebhookView } from "../views/organization/webhook-view.tsx";
import { Overview } from "../views/overview.tsx";
import { CreatePool } from "../views/pools/create-pool.tsx";
import { PoolList } from "../views/pools/pool-list.tsx";
import { PoolView } from "../views/pools/pool-view.tsx";
import { ProfileList } from "../views/profiles/profile-list.tsx";
import { ProfileView } from "../views/profiles/profile-view.tsx";
import { CreateProxy } from "../views/proxies/create-proxy.tsx";
import { ProxyList } from "../views/proxies/proxy-list.tsx";
import { ProxyView } from "../views/proxies/proxy-view.tsx";
import { SessionView } from "../views/session/session-view.tsx";
import { CreateSession } from "../views/sessions/create-session.tsx";
import { SessionList } from "../views/sessions/session-list.tsx";
import { useIdentity } from "./identity.ts";

/** The view for the address. */
export function Views() {
  return useIdentity().kind === "operator" ? <OperatorViews /> : <OrganizationViews />;
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
