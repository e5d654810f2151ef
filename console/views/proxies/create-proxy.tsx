import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function CreateProxy() {
  return (
    <Page title="New proxy">
      <Loading />
    </Page>
  );
}
