import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function WebhookView() {
  return (
    <Page title="Webhook">
      <Loading />
    </Page>
  );
}
