ALTER TABLE `replays` ADD `project_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `replays` SET `project_id` = (SELECT `project_id` FROM `browser_sessions` WHERE `browser_sessions`.`id` = `replays`.`session_id`)
WHERE EXISTS (SELECT 1 FROM `browser_sessions` WHERE `browser_sessions`.`id` = `replays`.`session_id`);
