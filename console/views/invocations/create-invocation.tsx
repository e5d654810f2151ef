import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function CreateInvocation() {
  return (
    <Page title="New invocation">
      <Loading />
    </Page>
  );
}
