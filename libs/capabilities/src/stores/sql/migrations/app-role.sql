-- The role an application runs as: grant it to the application's login. It can append to the audit but not
-- update, delete or truncate it. Migrations, pruning and subject erasure need the owner of the tables.
do $role$
begin
  begin
    create role capability_app nologin;
  exception when duplicate_object or unique_violation then
    null;
  end;
  execute format('grant usage on schema %I to capability_app', current_schema());
end
$role$;

revoke all on capability_audit, capability_audit_bases, capability_approvals, capability_keys, capability_tasks,
  capability_used_handles, capability_conversations, capability_tool_calls, capability_migrations from capability_app, public;
grant select, insert, update on capability_approvals to capability_app;
grant select, insert, update, delete on capability_keys, capability_tasks, capability_used_handles,
  capability_conversations, capability_tool_calls to capability_app;
grant select, insert on capability_audit to capability_app;
grant select on capability_audit_bases, capability_migrations to capability_app;
