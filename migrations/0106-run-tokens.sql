-- A run of an action gets a token of its own for its install; it holds for as long as the run's job is live (broker/action-runs/run-token.ts).

alter table install_action_runs add column token_digest bytea check (length(token_digest) = 32);
