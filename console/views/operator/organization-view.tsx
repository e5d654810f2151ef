import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function OrganizationView() {
  return (
    <Page title="Organization">
      <Loading />
    </Page>
  );
}
