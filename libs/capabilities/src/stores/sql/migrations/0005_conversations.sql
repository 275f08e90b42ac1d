-- Conversations of assistants. `record` is the conversation as JSON text; a change names the version that it starts
-- from. `owner` is the tenant and the principal.
create table capability_conversations (
  owner text not null,
  id text not null,
  version integer not null,
  record text not null,
  changed_at timestamptz not null,
  primary key (owner, id)
);

create index capability_conversations_changed on capability_conversations (changed_at);

-- Which approval a tool call of a conversation waits for, or waited for.
create table capability_tool_calls (
  owner text not null,
  conversation text not null,
  tool_call text not null,
  approval text not null,
  primary key (owner, conversation, tool_call)
);
