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
--> statement-breakpoint
CREATE UNIQUE INDEX `apps_current` ON `apps` (`organization_id`,`name`,`version`) WHERE current = 1;--> statement-breakpoint
CREATE INDEX `apps_listed` ON `apps` (`organization_id`,`created_at`,`id`) WHERE current = 1;--> statement-breakpoint
CREATE INDEX `apps_by_deployment` ON `apps` (`deployment_id`);--> statement-breakpoint
CREATE INDEX `apps_by_name` ON `apps` (`organization_id`,`name`,`version`);--> statement-breakpoint
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
);
--> statement-breakpoint
CREATE INDEX `deployments_all` ON `deployments` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deployments_unfinished` ON `deployments` (`updated_at`) WHERE state IN ('queued', 'in_progress');--> statement-breakpoint
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
);
--> statement-breakpoint
CREATE INDEX `invocations_all` ON `invocations` (`organization_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_app` ON `invocations` (`organization_id`,`app_name`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_version` ON `invocations` (`organization_id`,`version`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_action` ON `invocations` (`organization_id`,`action_name`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_deployment` ON `invocations` (`organization_id`,`deployment_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_by_status` ON `invocations` (`organization_id`,`status`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `invocations_unfinished` ON `invocations` (`started_at`) WHERE finished_at IS NULL;--> statement-breakpoint
CREATE INDEX `invocations_with_logs` ON `invocations` (`finished_at`) WHERE logs_kept = 1;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `invocation_id` text;--> statement-breakpoint
CREATE INDEX `browser_sessions_of_invocation` ON `browser_sessions` (`invocation_id`,`created_at`,`id`) WHERE invocation_id IS NOT NULL AND state <> 'ended';