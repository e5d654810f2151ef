ALTER TABLE `browser_pools` ADD `region` text;--> statement-breakpoint
ALTER TABLE `browser_sessions` ADD `region` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `weight` integer DEFAULT 1 NOT NULL;