import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function AuditLog() {
  return (
    <Page title="Audit log">
      <Loading />
    </Page>
  );
}
