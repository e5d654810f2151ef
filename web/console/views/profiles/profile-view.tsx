import { useRoute } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Time } from "../../ui/time.tsx";
import { ProfileContents } from "./profile-contents.tsx";

export function ProfileView() {
  const { id = "" } = useRoute().params;
  const params = { path: { id_or_name: id } };
  const profile = useLoad(`/profiles/${id}`, (signal) =>
    read(api.GET("/profiles/{id_or_name}", { params, signal })),
  );
  return (
    <ResourcePage
      noun="profile"
      parent={{ href: "/console/profiles", label: "Profiles" }}
      resource={profile}
      rename={(name) => read(api.PATCH("/profiles/{id_or_name}", { params, body: { name } }))}
      remove={() => read(api.DELETE("/profiles/{id_or_name}", { params }))}
      consequence="Its contents are deleted at once. Running sessions that use it continue, but save nothing. New sessions and pools that select it will fail."
    >
      {({ id, created_at, updated_at, last_used_at }) => (
        <>
          <Section title="Profile">
            <Facts
              facts={[
                ["Id", <CopyText text={id} what="the profile's id" />],
                ["Last used", <Time at={last_used_at} />],
                ["Last saved or renamed", <Time at={updated_at} />],
                ["Created", <Time at={created_at} />],
                [
                  "Sessions",
                  <a href={`/console/sessions?status=all&profile_id=${id}`}>All with this profile</a>,
                ],
              ]}
            />
          </Section>
          <ProfileContents id={id} />
        </>
      )}
    </ResourcePage>
  );
}
