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
import { ServiceUsage } from "../views/operator/service-usage.tsx";
import { Settings } from "../views/operator/settings.tsx";
import { APIKeyList } from "../views/organization/api-key-list.tsx";
import { AuditLog } from "../views/organization/audit-log.tsx";
import { ProjectList, ProjectView } from "../views/organization/projects.tsx";
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
import { RecordingList } from "../views/recordings/recording-list.tsx";
import { SessionView } from "../views/session/session-view.tsx";
import { CreateSession } from "../views/sessions/create-session.tsx";
import { SessionList } from "../views/sessions/session-list.tsx";
import { useIdentity } from "./identity.ts";

const ORGANIZATION_VIEWS = {
  "/console": Overview,
  "/console/sessions": SessionList,
  "/console/sessions/new": CreateSession,
  "/console/sessions/:id": SessionView,
  "/console/recordings": RecordingList,
  "/console/pools": PoolList,
  "/console/pools/new": CreatePool,
  "/console/pools/:id": PoolView,
  "/console/profiles": ProfileList,
  "/console/profiles/:id": ProfileView,
  "/console/proxies": ProxyList,
  "/console/proxies/new": CreateProxy,
  "/console/proxies/:id": ProxyView,
  "/console/extensions": ExtensionList,
  "/console/extensions/:id": ExtensionView,
  "/console/apps": AppList,
  "/console/deployments": DeploymentList,
  "/console/deployments/:id": DeploymentView,
  "/console/invocations": InvocationList,
  "/console/invocations/new": CreateInvocation,
  "/console/invocations/:id": InvocationView,
  "/console/projects": ProjectList,
  "/console/projects/:id": ProjectView,
  "/console/api-keys": APIKeyList,
  "/console/usage": Usage,
  "/console/webhooks": WebhookList,
  "/console/webhooks/:id": WebhookView,
  "/console/audit": AuditLog,
};

const OPERATOR_VIEWS = {
  "/console": OrganizationList,
  "/console/organizations/:id": OrganizationView,
  "/console/all-sessions": AllSessions,
  "/console/browsers": BrowserList,
  "/console/usage": ServiceUsage,
  "/console/capabilities": Capabilities,
  "/console/settings": Settings,
};

/** The view for the address. */
export function Views() {
  const views = useIdentity().kind === "operator" ? OPERATOR_VIEWS : ORGANIZATION_VIEWS;
  return (
    <Router>
      {Object.entries(views).map(([path, component]) => (
        <Route key={path} {...{ path, component }} />
      ))}
      <Route default component={Unknown} />
    </Router>
  );
}

function Unknown() {
  return (
    <Page title="Page not found">
      <Empty title="This page does not exist" action={<a href="/console">Go to the overview</a>} />
    </Page>
  );
}
