CREATE INDEX task_by_list ON task (list_id);
CREATE INDEX open_task ON task (list_id) WHERE done_at IS NULL;
