import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function SessionView() {
  return (
    <Page title="Session">
      <Loading />
    </Page>
  );
}
