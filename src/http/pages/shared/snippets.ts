import { type Html, html } from './html.ts'

export interface Snippet {
  readonly language: string
  readonly name: string
  readonly code: Html
}

/** Page scripts replace the URL in every `data-url`. */
const urlOf = (url: string) => html`<span data-url>${url}</span>`

/** Requests JSON. */
export const jsonSnippets = (url: string): Snippet[] => [
  { language: 'curl', name: 'curl', code: html`curl '${urlOf(url)}'` },
  {
    language: 'javascript',
    name: 'JavaScript',
    code: html`const reply = await fetch('${urlOf(url)}')
const { message } = await reply.json()
console.log(message)`,
  },
  {
    language: 'python',
    name: 'Python',
    code: html`import requests

message = requests.get('${urlOf(url)}').json()['message']
print(message)`,
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

/** Requests a picture and saves it with the extension of its type (curl: without an extension). */
export const imageSnippets = (url: string): Snippet[] => [
  { language: 'curl', name: 'curl', code: html`curl -o picture '${urlOf(url)}'` },
  {
    language: 'javascript',
    name: 'JavaScript',
    code: html`import { writeFile } from 'node:fs/promises'

const reply = await fetch('${urlOf(url)}')
if (!reply.ok) throw new Error(await reply.text())
const name = reply.headers.get('content-type').replace('image/', 'picture.')
await writeFile(name, reply.body)
console.log(name)`,
  },
  {
    language: 'python',
    name: 'Python',
    code: html`import requests

reply = requests.get('${urlOf(url)}')
reply.raise_for_status()
name = reply.headers['content-type'].replace('image/', 'picture.')
with open(name, 'wb') as file:
    file.write(reply.content)
print(name)`,
  },
  {
    language: 'csharp',
    name: 'C#',
    code: html`using var http = new HttpClient();
using var reply = await http.GetAsync("${urlOf(url)}");
reply.EnsureSuccessStatusCode();
var name = reply.Content.Headers.ContentType!.MediaType!.Replace("image/", "picture.");
await File.WriteAllBytesAsync(name, await reply.Content.ReadAsByteArrayAsync());
Console.WriteLine(name);`,
  },
]
