export { createNotifier, sendToAll } from './notifier.ts'
export { watchEvents } from './watch-events.ts'
export { type Notification, nameService, parseWebhook } from './webhook-format.ts'
