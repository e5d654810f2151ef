import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function ProfileView() {
  return (
    <Page title="Profile">
      <Loading />
    </Page>
  );
}
