# Що знає компанія: команди пам'яті, її сторінка і пам'ять чату.

command-chat-memory = що агенти тут можуть робити з пам'яттю своєї компанії
memory-mode-off = агенти не користуються пам'яттю і не змінюють її
memory-mode-read = агенти користуються пам'яттю, але нічого не змінюють
memory-mode-write = агенти користуються пам'яттю і запам'ятовують
audit-memory-set = змінено пам'ять чату «{ $chat }»: було { $before }, стало { $after }
help-chats-memory = Що агенти чату можуть робити з пам'яттю своєї компанії.
help-memory-mode = off: не користуються нею і не змінюють її. read: лише читають. write: читають і запам'ятовують.
console-chats-memory = Пам'ять
console-memory-mode-write = Агенти читають і запам'ятовують
console-memory-mode-read = Агенти лише читають
console-memory-mode-off = Вимкнено
