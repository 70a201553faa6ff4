export { createNotifier, type Notifier, sendToAll } from './notifier.ts'
export { watchEvents } from './watch-events.ts'
export { type Notice, nameService, parseWebhook } from './webhook.ts'
