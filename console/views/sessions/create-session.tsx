import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function CreateSession() {
  return (
    <Page title="New session">
      <Loading />
    </Page>
  );
}
