import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function InvocationList() {
  return (
    <Page title="Invocations">
      <Loading />
    </Page>
  );
}
