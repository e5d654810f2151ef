CREATE TABLE `capabilities` (
	`name` text PRIMARY KEY NOT NULL,
	`outcome` text NOT NULL,
	`seen` text NOT NULL,
	`details` text NOT NULL,
	`measured_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`cost` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`max_concurrent_sessions` integer,
	`max_concurrent_invocations` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name` ON `projects` (`organization_id`,lower("name")) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text NOT NULL,
	`label` text NOT NULL,
	`value` integer NOT NULL,
	PRIMARY KEY(`name`, `label`)
);
--> statement-breakpoint
CREATE TABLE `usage_hours` (
	`organization_id` text NOT NULL,
	`hour` integer NOT NULL,
	`project_id` text NOT NULL,
	`api_key_id` text NOT NULL,
	`pool_id` text NOT NULL,
	`tags` text NOT NULL,
	`browser_ms` integer DEFAULT 0 NOT NULL,
	`sessions` integer DEFAULT 0 NOT NULL,
	`invocations` integer DEFAULT 0 NOT NULL,
	`dynamic_workers` integer DEFAULT 0 NOT NULL,
	`recorded_ms` integer DEFAULT 0 NOT NULL,
	`stored_byte_hours` integer DEFAULT 0 NOT NULL,
	`proxied_bytes` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`organization_id`, `hour`, `project_id`, `api_key_id`, `pool_id`, `tags`)
);
--> statement-breakpoint
CREATE INDEX `usage_hours_by_hour` ON `usage_hours` (`hour`);--> statement-breakpoint
DROP INDEX `apps_current`;--> statement-breakpoint
DROP INDEX `apps_listed`;--> statement-breakpoint
DROP INDEX `apps_by_name`;--> statement-breakpoint
ALTER TABLE `apps` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `apps_current` ON `apps` (`organization_id`,`project_id`,`name`,`version`) WHERE current = 1;--> statement-breakpoint
CREATE INDEX `apps_listed` ON `apps` (`organization_id`,`project_id`,`created_at`,`id`) WHERE current = 1;--> statement-breakpoint
CREATE INDEX `apps_by_name` ON `apps` (`organization_id`,`project_id`,`name`,`version`);--> statement-breakpoint
DROP INDEX `invocations_by_app`;--> statement-breakpoint
DROP INDEX `invocations_by_version`;--> statement-breakpoint
DROP INDEX `invocations_by_action`;--> statement-breakpoint
DROP INDEX `invocations_by_deployment`;--> statement-breakpoint
DROP INDEX `invocations_by_status`;--> statement-breakpoint
ALTER TABLE `invocations` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `invocations_of_project` ON `invocations` (`organization_id`,`project_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_app` ON `invocations` (`organization_id`,`project_id`,`app_name`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_version` ON `invocations` (`organization_id`,`project_id`,`version`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_action` ON `invocations` (`organization_id`,`project_id`,`action_name`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_deployment` ON `invocations` (`organization_id`,`project_id`,`deployment_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_status` ON `invocations` (`organization_id`,`status`,`project_id`,`started_at`,`id`);--> statement-breakpoint
DROP INDEX `browser_pools_name`;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_pools` ADD `region` text;--> statement-breakpoint
CREATE UNIQUE INDEX `browser_pools_name` ON `browser_pools` (`organization_id`,`project_id`,`name`);--> statement-breakpoint
DROP INDEX `browser_sessions_active`;--> statement-breakpoint
DROP INDEX `browser_sessions_ended`;--> statement-breakpoint
DROP INDEX `browser_sessions_by_name`;--> statement-breakpoint
DROP INDEX `browser_sessions_living_name`;--> statement-breakpoint
DROP INDEX `browser_sessions_living_persistence`;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `region` text;--> statement-breakpoint
CREATE INDEX `browser_sessions_of_project` ON `browser_sessions` (`organization_id`,`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `browser_sessions_living` ON `browser_sessions` (`organization_id`,`pool_id`,`project_id`,`state`) WHERE state <> 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_active` ON `browser_sessions` (`organization_id`,`project_id`,`created_at`,`id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `browser_sessions_ended` ON `browser_sessions` (`organization_id`,`project_id`,`created_at`,`id`) WHERE state = 'ended';--> statement-breakpoint
CREATE INDEX `browser_sessions_by_name` ON `browser_sessions` (`organization_id`,`project_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `browser_sessions_living_name` ON `browser_sessions` (`organization_id`,`project_id`,`name`) WHERE state <> 'ended';--> statement-breakpoint
CREATE UNIQUE INDEX `browser_sessions_living_persistence` ON `browser_sessions` (`organization_id`,`project_id`,`persistence_id`) WHERE state <> 'ended';--> statement-breakpoint
DROP INDEX `extensions_name`;--> statement-breakpoint
DROP INDEX `extensions_all`;--> statement-breakpoint
ALTER TABLE `extensions` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `extensions_name` ON `extensions` (`organization_id`,`project_id`,`name`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `extensions_all` ON `extensions` (`organization_id`,`project_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
DROP INDEX `profiles_name`;--> statement-breakpoint
DROP INDEX `profiles_all`;--> statement-breakpoint
ALTER TABLE `profiles` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `profiles_name` ON `profiles` (`organization_id`,`project_id`,`name`) WHERE deleted_at IS NULL;--> statement-breakpoint
CREATE INDEX `profiles_all` ON `profiles` (`organization_id`,`project_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
DROP INDEX `proxies_all`;--> statement-breakpoint
ALTER TABLE `proxies` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `proxies_all` ON `proxies` (`organization_id`,`project_id`,`created_at`,`id`) WHERE deleted_at IS NULL;--> statement-breakpoint
ALTER TABLE `deployments` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `deployments_of_project` ON `deployments` (`organization_id`,`project_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `api_keys` ADD `project_id` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `access` text DEFAULT 'full' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `max_concurrent_sessions` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `requests_per_minute` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `default_project_max_concurrent_sessions` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `soft_budget_usd` real;--> statement-breakpoint
ALTER TABLE `organizations` ADD `hard_budget_usd` real;--> statement-breakpoint
ALTER TABLE `organizations` ADD `budget_warned_at` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `over_budget_until` integer;--> statement-breakpoint
ALTER TABLE `organizations` ADD `weight` integer DEFAULT 1 NOT NULL;