import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function CreatePool() {
  return (
    <Page title="New pool">
      <Loading />
    </Page>
  );
}
