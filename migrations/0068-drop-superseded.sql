-- Functions that nothing calls any more, neither this version nor one that may run beside it. A new database has none of
-- them.
drop function if exists report_executions, step_executions, judge_reports, keep_reported, store_results;
drop function if exists unlock_workspace, write_terraform_state, delete_terraform_state, delete_workspace;
drop function if exists refuse_state_write, plain_base64, keep_rescued_state;
drop type if exists reported_execution;
