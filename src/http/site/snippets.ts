import { type Html, html } from './html.ts'

export interface Snippet {
  readonly language: string
  readonly name: string
  readonly code: Html
}

/** The pages' scripts put another URL into every `data-url`; the rest of the code stays. */
const urlOf = (url: string) => html`<span data-url>${url}</span>`

/** The request for a JSON reply. */
export const jsonSnippets = (url: string): Snippet[] => [
  { language: 'curl', name: 'curl', code: html`curl '${urlOf(url)}'` },
  {
    language: 'javascript',
    name: 'JavaScript',
    code: html`const reply = await fetch('${urlOf(url)}')
const { message } = await reply.json()`,
  },
  {
    language: 'python',
    name: 'Python',
    code: html`import requests

message = requests.get('${urlOf(url)}').json()['message']`,
  },
  {
    language: 'csharp',
    name: 'C#',
    code: html`using System.Net.Http.Json;
using System.Text.Json;

using var http = new HttpClient();
var reply = await http.GetFromJsonAsync&lt;JsonElement&gt;("${urlOf(url)}");
Console.WriteLine(reply.GetProperty("message"));`,
  },
]

/** The request for a picture. */
export const imageSnippets = (url: string): Snippet[] => [
  { language: 'curl', name: 'curl', code: html`curl -o picture '${urlOf(url)}'` },
  {
    language: 'javascript',
    name: 'JavaScript',
    code: html`const reply = await fetch('${urlOf(url)}')
const picture = await reply.blob()`,
  },
  {
    language: 'python',
    name: 'Python',
    code: html`import requests

picture = requests.get('${urlOf(url)}').content`,
  },
  {
    language: 'csharp',
    name: 'C#',
    code: html`using var http = new HttpClient();
var picture = await http.GetByteArrayAsync("${urlOf(url)}");`,
  },
]
