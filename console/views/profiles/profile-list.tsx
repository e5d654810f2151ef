import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function ProfileList() {
  return (
    <Page title="Profiles">
      <Loading />
    </Page>
  );
}
