import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function InvocationView() {
  return (
    <Page title="Invocation">
      <Loading />
    </Page>
  );
}
