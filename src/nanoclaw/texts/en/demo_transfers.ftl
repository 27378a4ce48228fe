# What the demo model says around transfers

demo-transfer-proposed = This outgrows a chat, so I propose to go on in Claude.ai. In a moment a card shows what would leave; one tap on **Send** brings you the documents. What comes of it you bring back with `/import_analysis`.
demo-transfer-not = I could not propose that: { $said }
demo-transfer-back = I have heard the result. As a demo I cannot judge it; a real model would go on with the work now.
demo-transfer-step = Next would be: { $step }
