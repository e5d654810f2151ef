import { DocLink } from "../../ui/doc-link.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { NotAvailable } from "../../ui/states.tsx";

export function Capabilities() {
  return (
    <Page title="Capabilities">
      <NotAvailable title="This version of Berth does not detect what it can do">
        There is no table of capabilities of this deployment and its Cloudflare account yet.
      </NotAvailable>
      <Section title="What is known">
        <Facts
          facts={[
            [
              "Operations and their differences",
              <DocLink page="compatibility">Compatibility with Kernel</DocLink>,
            ],
            ["What sites can detect", <DocLink page="stealth">Stealth</DocLink>],
            ["Isolation and its limits", <DocLink page="security">Security</DocLink>],
            ["Speed", <DocLink page="benchmarks">Benchmarks</DocLink>],
            ["Limits of this service", <a href="/console/settings">Settings</a>],
          ]}
        />
      </Section>
    </Page>
  );
}
