import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function OrganizationList() {
  return (
    <Page title="Organizations">
      <Loading />
    </Page>
  );
}
