import { DocLink, Page } from "../../ui/page.tsx";
import { NotAvailable } from "../../ui/states.tsx";

export function Capabilities() {
  return (
    <Page title="Capabilities">
      <NotAvailable title="This version of Berth does not detect what it can do">
        There is no table of capabilities of this deployment and its Cloudflare account yet.{" "}
        <DocLink page="compatibility">Compatibility</DocLink>, <DocLink page="stealth">Stealth</DocLink> and{" "}
        <DocLink page="security">Security</DocLink> say what Berth can do everywhere, and{" "}
        <a href="/console/settings">Settings</a> has the limits of this service.
      </NotAvailable>
    </Page>
  );
}
