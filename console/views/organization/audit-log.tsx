import { Page } from "../../ui/page.tsx";
import { NotAvailable } from "../../ui/states.tsx";

export function AuditLog() {
  return (
    <Page title="Audit log">
      <NotAvailable title="This version of Berth has no audit log">
        Nothing lists who changed what. A <a href="/console/sessions">session</a> shows its calls and why it
        ended, an <a href="/console/api-keys">API key</a> when it was created and last used, and a{" "}
        <a href="/console/webhooks">webhook</a> what it delivered.
      </NotAvailable>
    </Page>
  );
}
