"""The commands about who may speak: people, roles, chats, wirings, groups and requests."""
