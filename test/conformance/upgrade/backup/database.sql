CREATE TABLE d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE TABLE `browser_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`state` text NOT NULL,
	`name` text,
	`tags` text NOT NULL,
	`headless` integer NOT NULL,
	`stealth` integer NOT NULL,
	`kiosk_mode` integer NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`viewport_width` integer NOT NULL,
	`viewport_height` integer NOT NULL,
	`viewport_refresh_rate` integer NOT NULL,
	`start_url` text,
	`persistence_id` text,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	`end_reason` text
, `pool_id` text, `pool_name` text, `lease` integer, `extension_ids` text DEFAULT '[]' NOT NULL, `proxy_id` text, `profile_id` text, `end_details` text, `invocation_id` text, `api_key_id` text, `url_generation` integer DEFAULT 0 NOT NULL, `ended_by_api_key_id` text, `telemetry` text, `evidence` text, `record` integer DEFAULT false NOT NULL, `clients` integer DEFAULT 0 NOT NULL, `viewers` integer DEFAULT 0 NOT NULL, `idle_since` integer);
CREATE TABLE `idempotency_keys` (
	`organization_id` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `key`)
);
CREATE TABLE `launched_browsers` (
	`browser_id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`launched_at` integer NOT NULL
);
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`key_hash` text NOT NULL,
	`masked_key` text NOT NULL,
	`scope` text DEFAULT 'organization' NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`expires_at` integer,
	`deleted_at` integer
, `last_used_at` integer);
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`max_concurrent_sessions` integer,
	`max_pooled_sessions` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer
);
CREATE TABLE `browser_pools` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`size` integer NOT NULL,
	`fill_rate_per_minute` integer NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`headless` integer NOT NULL,
	`stealth` integer NOT NULL,
	`kiosk_mode` integer NOT NULL,
	`viewport_width` integer NOT NULL,
	`viewport_height` integer NOT NULL,
	`viewport_refresh_rate` integer NOT NULL,
	`start_url` text,
	`created_at` integer NOT NULL
, `extensions` text DEFAULT '[]' NOT NULL, `extension_ids` text DEFAULT '[]' NOT NULL, `proxy_id` text, `profile` text, `profile_id` text, `last_error` text, `last_error_at` integer, `telemetry` text, `record` integer DEFAULT false NOT NULL);
CREATE TABLE `extensions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`size_bytes` integer NOT NULL,
	`checksum` text NOT NULL,
	`unsupported` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`deleted_at` integer
);
CREATE TABLE `profiles` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`content_id` text,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_used_at` integer,
	`deleted_at` integer
);
CREATE TABLE `proxies` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text,
	`type` text NOT NULL,
	`protocol` text NOT NULL,
	`config` text NOT NULL,
	`encrypted_password` text,
	`bypass_hosts` text NOT NULL,
	`status` text NOT NULL,
	`last_checked_at` integer,
	`ip_address` text,
	`created_at` integer NOT NULL,
	`deleted_at` integer
);
CREATE TABLE `apps` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`deployment_id` text NOT NULL,
	`actions` text NOT NULL,
	`created_at` integer NOT NULL,
	`current` integer NOT NULL
);
CREATE TABLE `deployments` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`state` text NOT NULL,
	`state_reason` text,
	`version` text NOT NULL,
	`force` integer NOT NULL,
	`entrypoint` text NOT NULL,
	`source_checksum` text NOT NULL,
	`env_names` text NOT NULL,
	`env_vars` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
, `size_bytes` integer DEFAULT 0 NOT NULL, `grants` text);
CREATE TABLE `invocations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`app_name` text NOT NULL,
	`version` text NOT NULL,
	`action_name` text NOT NULL,
	`deployment_id` text NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`payload` text,
	`payload_in_files` integer NOT NULL,
	`output` text,
	`output_in_files` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`logs_kept` integer NOT NULL
, `grants` text);
CREATE TABLE `replays` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`session_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`size_bytes` integer NOT NULL,
	`mime_type` text,
	`parts` text NOT NULL,
	`chapters` text NOT NULL,
	`note` text
);
CREATE TABLE `otlp_destinations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`endpoint` text NOT NULL,
	`header_names` text NOT NULL,
	`encrypted_headers` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`event_type` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text NOT NULL,
	`state_reason` text,
	`attempts` text NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`ended_at` integer
);
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text,
	`event_types` text,
	`encrypted_secret` text NOT NULL,
	`previous_encrypted_secret` text,
	`previous_secret_until` integer,
	`created_at` integer NOT NULL,
	`disabled_at` integer
);
CREATE TABLE `proxy_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`proxy_id` text NOT NULL,
	`checked_at` integer NOT NULL,
	`status` text NOT NULL,
	`duration_ms` integer NOT NULL,
	`ip_address` text
);
INSERT INTO "d1_migrations" VALUES (1, '0000_initial.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (2, '0001_browser_pools.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (3, '0002_extensions.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (4, '0003_proxies_and_profiles.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (5, '0004_apps.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (6, '0005_limits.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (7, '0006_telemetry.sql', '2026-11-26 05:31:36');
INSERT INTO "d1_migrations" VALUES (8, '0007_console.sql', '2026-11-26 05:31:36');
INSERT INTO "browser_sessions" VALUES ('g8ag2ro3lcmuo3obxbd0ip63', 'o8yakdtfuztbnxkzcjzf7j82', 'ended', NULL, '{}', 0, 0, 0, 300, 1920, 1080, 25, NULL, NULL, 1795671100291, 1795671102367, 'deleted', NULL, NULL, NULL, '[]', NULL, '2oaygjbsr2ui24as9ioekmnn', NULL, NULL, '3uw6y80lezchltgdyjrd1rz7', 0, '3uw6y80lezchltgdyjrd1rz7', '{"isOn":true,"categories":{},"bodies":false}', '{"tabs":[{"url":"http://sample.test/","title":"sample.test"}],"screenshotAt":1795671102445}', 0, 0, 0, NULL);
INSERT INTO "browser_sessions" VALUES ('beoeycbafd4hz4ig7vtldswn', 'o8yakdtfuztbnxkzcjzf7j82', 'ended', NULL, '{}', 0, 0, 0, 300, 1920, 1080, 25, NULL, NULL, 1795671104952, 1795671108037, 'deleted', NULL, NULL, NULL, '[]', NULL, NULL, NULL, NULL, '3uw6y80lezchltgdyjrd1rz7', 0, '3uw6y80lezchltgdyjrd1rz7', '{"isOn":true,"categories":{},"bodies":false}', '{"tabs":[{"url":"http://sample.test/","title":"sample.test"}],"screenshotAt":1795671108081}', 0, 0, 0, NULL);
INSERT INTO "browser_sessions" VALUES ('nxnx771c2jls128tz0bzgk9y', 'o8yakdtfuztbnxkzcjzf7j82', 'idle', NULL, '{}', 0, 0, 0, 600, 1920, 1080, 25, NULL, NULL, 1795671108237, NULL, NULL, 'gndbbc0cqww0kkccsnyz5cz4', 'sample', NULL, '[]', NULL, NULL, NULL, NULL, NULL, 0, NULL, '{"isOn":true,"categories":{},"bodies":false}', NULL, 0, 0, 0, NULL);
INSERT INTO "browser_sessions" VALUES ('zg33mdynhwarcy2zvwitptot', 'o8yakdtfuztbnxkzcjzf7j82', 'active', 'living', '{}', 0, 0, 0, 3600, 1920, 1080, 25, NULL, NULL, 1795671108517, NULL, NULL, NULL, NULL, NULL, '[]', NULL, NULL, NULL, NULL, '3uw6y80lezchltgdyjrd1rz7', 0, NULL, '{"isOn":true,"categories":{},"bodies":false}', NULL, 0, 0, 0, 1795671110559);
INSERT INTO "launched_browsers" VALUES ('22a2660b-a254-438f-b1c8-27cc96e2f72a', 'nxnx771c2jls128tz0bzgk9y', 1795671108371);
INSERT INTO "launched_browsers" VALUES ('e5a7a2fd-ba0f-48bf-96d8-ea4e1d0952f8', 'zg33mdynhwarcy2zvwitptot', 1795671108611);
INSERT INTO "api_keys" VALUES ('localapikey0000000000000', 'localorganization0000000', 'npm start', '22b527edbe5750ecddffa474d12d330ded8c85087c3a24067d8f5268c3c5bb3d', 'local-key-…53f5', 'organization', 1795671097322, 'operator', NULL, NULL, NULL);
INSERT INTO "api_keys" VALUES ('3uw6y80lezchltgdyjrd1rz7', 'o8yakdtfuztbnxkzcjzf7j82', 'first key', '24fd4ba282c38a365cac550443471f88e1c418c377e5c009ca39203315d6c3a8', 'berth_GDrw…We3I', 'organization', 1795671099600, 'operator', NULL, NULL, 1795671100224);
INSERT INTO "organizations" VALUES ('localorganization0000000', 'local', NULL, NULL, 1795671097322, NULL);
INSERT INTO "organizations" VALUES ('o8yakdtfuztbnxkzcjzf7j82', 'test organization', NULL, NULL, 1795671099600, NULL);
INSERT INTO "browser_pools" VALUES ('gndbbc0cqww0kkccsnyz5cz4', 'o8yakdtfuztbnxkzcjzf7j82', 'sample', 1, 10, 600, 0, 0, 0, 1920, 1080, 25, NULL, 1795671108181, '[]', '[]', NULL, NULL, NULL, NULL, NULL, '{"isOn":true,"categories":{},"bodies":false}', 0);
INSERT INTO "extensions" VALUES ('2d4335qmrny1i8e5qlqxum0d', 'o8yakdtfuztbnxkzcjzf7j82', 'sample', 176, 'e7ef5735c4ddad213f3912897fa73b8251d4e36beefe771a2c81eba92715ad07', '[]', 1795671102690, NULL, NULL);
INSERT INTO "profiles" VALUES ('2oaygjbsr2ui24as9ioekmnn', 'o8yakdtfuztbnxkzcjzf7j82', 'sample', 'b8bh7ocmiok01wsf4jrxy83i', 371, 1795671100243, 1795671102571, 1795671100291, NULL);
INSERT INTO "proxies" VALUES ('a0t4p56o94tucsjb4ma800s8', 'o8yakdtfuztbnxkzcjzf7j82', 'sample', 'custom', 'http', '{"host":"proxy.example.com","port":9,"username":"user","has_password":true}', 'MWUxZjA4OGaaGUZowx0vE+ygnblTD2h8zgP1p3ijAqJc3uWsX9h6AOopM2TUOx7OqpsO', '[]', 'unavailable', 1795671102701, NULL, 1795671102701, NULL);
INSERT INTO "apps" VALUES ('gc3mepo67ufdbb24yup69rfx', 'o8yakdtfuztbnxkzcjzf7j82', 'app-3b25ee28', 'latest', 'p0ggk33azegmu83acoz7ac80', '["echo"]', 1795671103779, 1);
INSERT INTO "deployments" VALUES ('p0ggk33azegmu83acoz7ac80', 'o8yakdtfuztbnxkzcjzf7j82', 'running', NULL, 'latest', 0, 'index.ts', '74a0252e69ea0589ee9c7ba69cb8dac4cb5479ef280bafe761f0fc0a1b09a1c9', '["MOOD"]', 'MWUxZjA4OGaEyvpO5SZls91tZxN16ZiTEBKgTNPwZZq0X9De3NS3Qs3cQnu0ezFpLQN+', 1795671102725, 1795671103780, 322, NULL);
INSERT INTO "invocations" VALUES ('ubdtnsk4rldt163j6ue5n6z1', 'o8yakdtfuztbnxkzcjzf7j82', 'app-3b25ee28', 'latest', 'echo', 'p0ggk33azegmu83acoz7ac80', 'succeeded', NULL, '{"text":"short"}', 0, '{"text":"short"}', 0, 1795671103920, 1795671104352, 1, NULL);
INSERT INTO "invocations" VALUES ('lf9u1d7jbe2x927z4gh8ocup', 'o8yakdtfuztbnxkzcjzf7j82', 'app-3b25ee28', 'latest', 'echo', 'p0ggk33azegmu83acoz7ac80', 'succeeded', NULL, NULL, 1, NULL, 1, 1795671104532, 1795671104849, 1, NULL);
INSERT INTO "replays" VALUES ('v1qnkzwsdfyekrbu9is295b6', 'o8yakdtfuztbnxkzcjzf7j82', 'beoeycbafd4hz4ig7vtldswn', 1795671107154, 1795671107897, 3997, 'video/mp4', '[690,3307]', '[{"time":37,"url":"about:blank","title":"about:blank"},{"time":206,"url":"http://sample.test/","title":"sample.test"}]', NULL);
INSERT INTO "webhook_deliveries" VALUES ('5eea1c89c5c5f4cba057235b', '49b69ov86r5gsp1vyx6qlosr', 'session.created', '{"type":"session.created","timestamp":"2026-11-26T05:31:50.578Z","data":{"session_id":"zg33mdynhwarcy2zvwitptot","name":"living","tags":{},"pool_id":null,"pool_name":null,"invocation_id":null,"created_at":"2026-11-26T05:31:48.517Z"}}', 1795671110578, 'pending', NULL, '[{"at":"2026-11-26T05:31:51.000Z","error":"Could not resolve host: example.com","duration_ms":50}]', 1795671116360, NULL);
INSERT INTO "webhooks" VALUES ('49b69ov86r5gsp1vyx6qlosr', 'o8yakdtfuztbnxkzcjzf7j82', 'https://example.com/hook', NULL, '["session.created"]', 'MWUxZjA4OGbmWMc3FVaYMdalaosxotLhKzdBjRPnkTt3LeDS2P4MzJftWT6XARyNkhkZwmxKtbVbmX9V66F2ZQ0Fge3GzPTL9miN2DAylXwdAHbKBrs=', NULL, NULL, 1795671108512, NULL);
INSERT INTO "proxy_checks" VALUES ('u28qekxmwq8lmqkuqb238f6k', 'a0t4p56o94tucsjb4ma800s8', 1795671102701, 'unavailable', 6, NULL);
CREATE INDEX `browser_sessions_all` ON `browser_sessions` (`organization_id`,`created_at`,`id`);
CREATE INDEX `browser_sessions_active` ON `browser_sessions` (`organization_id`,`created_at`,`id`) WHERE state = 'active';
CREATE INDEX `browser_sessions_ended` ON `browser_sessions` (`organization_id`,`created_at`,`id`) WHERE state = 'ended';
CREATE INDEX `browser_sessions_by_end` ON `browser_sessions` (`deleted_at`) WHERE state = 'ended';
CREATE INDEX `browser_sessions_by_name` ON `browser_sessions` (`organization_id`,`name`);
CREATE UNIQUE INDEX `browser_sessions_living_name` ON `browser_sessions` (`organization_id`,`name`) WHERE state <> 'ended';
CREATE UNIQUE INDEX `browser_sessions_living_persistence` ON `browser_sessions` (`organization_id`,`persistence_id`) WHERE state <> 'ended';
CREATE INDEX `idempotency_keys_by_session` ON `idempotency_keys` (`session_id`);
CREATE INDEX `idempotency_keys_by_creation` ON `idempotency_keys` (`created_at`);
CREATE UNIQUE INDEX `api_keys_key_hash_unique` ON `api_keys` (`key_hash`);
CREATE INDEX `api_keys_by_organization` ON `api_keys` (`organization_id`,`created_at`,`id`);
CREATE UNIQUE INDEX `browser_pools_name` ON `browser_pools` (`organization_id`,`name`);
CREATE INDEX `browser_sessions_of_pool` ON `browser_sessions` (`pool_id`,`state`) WHERE pool_id IS NOT NULL AND state <> 'ended';
CREATE UNIQUE INDEX `extensions_name` ON `extensions` (`organization_id`,`name`) WHERE deleted_at IS NULL;
CREATE INDEX `extensions_all` ON `extensions` (`organization_id`,`created_at`,`id`) WHERE deleted_at IS NULL;
CREATE INDEX `extensions_deleted` ON `extensions` (`deleted_at`) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX `profiles_name` ON `profiles` (`organization_id`,`name`) WHERE deleted_at IS NULL;
CREATE INDEX `profiles_all` ON `profiles` (`organization_id`,`created_at`,`id`) WHERE deleted_at IS NULL;
CREATE INDEX `profiles_deleted` ON `profiles` (`deleted_at`) WHERE deleted_at IS NOT NULL;
CREATE INDEX `proxies_all` ON `proxies` (`organization_id`,`created_at`,`id`) WHERE deleted_at IS NULL;
CREATE INDEX `proxies_by_check` ON `proxies` (`last_checked_at`) WHERE deleted_at IS NULL;
CREATE INDEX `proxies_deleted` ON `proxies` (`deleted_at`) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX `apps_current` ON `apps` (`organization_id`,`name`,`version`) WHERE current = 1;
CREATE INDEX `apps_listed` ON `apps` (`organization_id`,`created_at`,`id`) WHERE current = 1;
CREATE INDEX `apps_by_deployment` ON `apps` (`deployment_id`);
CREATE INDEX `apps_by_name` ON `apps` (`organization_id`,`name`,`version`);
CREATE INDEX `deployments_all` ON `deployments` (`organization_id`,`created_at`,`id`);
CREATE INDEX `deployments_unfinished` ON `deployments` (`updated_at`) WHERE state IN ('queued', 'in_progress');
CREATE INDEX `invocations_all` ON `invocations` (`organization_id`,`started_at`,`id`);
CREATE INDEX `invocations_by_app` ON `invocations` (`organization_id`,`app_name`,`started_at`,`id`);
CREATE INDEX `invocations_by_version` ON `invocations` (`organization_id`,`version`,`started_at`,`id`);
CREATE INDEX `invocations_by_action` ON `invocations` (`organization_id`,`action_name`,`started_at`,`id`);
CREATE INDEX `invocations_by_deployment` ON `invocations` (`organization_id`,`deployment_id`,`started_at`,`id`);
CREATE INDEX `invocations_by_status` ON `invocations` (`organization_id`,`status`,`started_at`,`id`);
CREATE INDEX `invocations_unfinished` ON `invocations` (`started_at`) WHERE finished_at IS NULL;
CREATE INDEX `invocations_with_logs` ON `invocations` (`finished_at`) WHERE logs_kept = 1;
CREATE INDEX `browser_sessions_of_invocation` ON `browser_sessions` (`invocation_id`,`created_at`,`id`) WHERE invocation_id IS NOT NULL AND state <> 'ended';
CREATE INDEX `browser_sessions_of_api_key` ON `browser_sessions` (`api_key_id`) WHERE api_key_id IS NOT NULL AND state <> 'ended';
CREATE INDEX `replays_of_session` ON `replays` (`session_id`,`started_at`);
CREATE INDEX `replays_of_organization` ON `replays` (`organization_id`);
CREATE INDEX `replays_by_end` ON `replays` (`finished_at`);
CREATE UNIQUE INDEX `otlp_destinations_name` ON `otlp_destinations` (`organization_id`,`name`);
CREATE INDEX `webhook_deliveries_all` ON `webhook_deliveries` (`webhook_id`,`created_at`,`id`);
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`webhook_id`,`next_attempt_at`) WHERE state = 'pending';
CREATE INDEX `webhook_deliveries_by_end` ON `webhook_deliveries` (`ended_at`) WHERE state <> 'pending';
CREATE INDEX `webhooks_all` ON `webhooks` (`organization_id`,`created_at`,`id`);
CREATE INDEX `browser_sessions_ended_of_invocation` ON `browser_sessions` (`invocation_id`,`created_at`,`id`) WHERE invocation_id IS NOT NULL AND state = 'ended';
CREATE INDEX `proxy_checks_of_proxy` ON `proxy_checks` (`proxy_id`,`checked_at`);
CREATE INDEX `browser_sessions_by_creation` ON `browser_sessions` (`created_at`,`id`);
CREATE INDEX `browser_sessions_ended_by_end` ON `browser_sessions` (`organization_id`,`deleted_at`) WHERE state = 'ended';
