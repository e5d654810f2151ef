import { Facts } from "../../ui/facts.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { NotAvailable } from "../../ui/states.tsx";

export function AuditLog() {
  return (
    <Page title="Audit log">
      <NotAvailable title="This version of Berth has no audit log">
        Nothing lists who changed what in the organization. Other places know parts of it.
      </NotAvailable>
      <Section title="What there is instead">
        <Facts
          facts={[
            ["Calls of a session", <a href="/console/sessions">In the timeline of each session</a>],
            ["Ends of sessions", "An ended session says why it ended, and which API key ended it"],
            ["Use of API keys", <a href="/console/api-keys">When each key was created and last used</a>],
            ["Events", <a href="/console/webhooks">The deliveries of each webhook</a>],
            ["Sign-ins to the console", "In the service's log, which the operator can read"],
          ]}
        />
      </Section>
    </Page>
  );
}
