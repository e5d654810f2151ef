import { api, read } from "../api/client.ts";
import { useLoad } from "../api/hooks.ts";
import { Badge } from "../ui/badge.tsx";
import { ActionButton } from "../ui/button.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { Failure, Loading } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Time, TimeLeft } from "../ui/time.tsx";
import { nameAgent, UserAgent } from "../ui/user-agent.tsx";

/** A button that lists the sign-ins with the same key, and ends one or all of them. */
export function SignInsButton({ signOut }: { signOut: (options?: { everywhere: boolean }) => void }) {
  return (
    <DialogButton kind="quiet" title="Sign-ins with this key" content={() => <SignIns signOut={signOut} />}>
      Sign-ins
    </DialogButton>
  );
}

function SignIns({ signOut }: { signOut: (options?: { everywhere: boolean }) => void }) {
  const { data, error, reload } = useLoad("sign-ins", (signal) =>
    read(api.GET("/console/session/sign_ins", { signal })),
  );
  if (error !== undefined) return <Failure error={error} retry={reload} />;
  if (data === undefined) return <Loading />;
  const end = async (id: string) => {
    await read(api.DELETE("/console/session/sign_ins/{id}", { params: { path: { id } } })).finally(reload);
  };
  return (
    <>
      <Table
        caption="Sign-ins"
        rows={data}
        idOf={({ id }) => id}
        columns={[
          {
            title: "Browser",
            cell: ({ user_agent }) => <UserAgent text={user_agent} />,
          },
          { title: "Started", cell: ({ created_at }) => <Time at={created_at} /> },
          { title: "Ends in", cell: ({ expires_at }) => <TimeLeft until={expires_at} /> },
          {
            title: "",
            cell: ({ id, is_current, user_agent }) =>
              is_current ? (
                <Badge tone="info">This one</Badge>
              ) : (
                <ActionButton label={`End the sign-in of ${nameAgent(user_agent)}`} action={() => end(id)}>
                  End
                </ActionButton>
              ),
          },
        ]}
      />
      <p>
        <ActionButton kind="danger" action={async () => signOut({ everywhere: true })}>
          Sign out everywhere
        </ActionButton>
      </p>
    </>
  );
}
