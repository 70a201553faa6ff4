// Examples of the update formats and feeds that are not JSON, for the API reference.
import { EXAMPLE_BASE } from '../../kernel/schemas.ts'

const download = `${EXAMPLE_BASE}/api/v5/app/download/launcher/2.1.0`
const news = `${EXAMPLE_BASE}/api/v5/app/launcher/news`
const sha512 = 'pKDgd49u3xG0zFqkhXqtGb5nXyMkTAwq0vGQ2m0sQUxwYBoVZQq1hOZNtYIYvRoAdAFEvpvNIHrQ1mWlLKk7kQ=='
const html = '&lt;p&gt;It starts &lt;strong&gt;twice&lt;/strong&gt; as fast.&lt;/p&gt;'

export const ELECTRON_EXAMPLE = `version: "2.1.0"
files:
  - url: "${download}/launcher-2.1.0.exe"
    sha512: "${sha512}"
    size: 84200000
path: "${download}/launcher-2.1.0.exe"
sha512: "${sha512}"
releaseName: "2.1.0"
releaseNotes: "- Starts twice as fast"
releaseDate: "2026-12-01T09:30:00.000Z"
`

export const APPCAST_EXAMPLE = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">
<channel>
<title>launcher</title>
<item>
<title>2.1.0</title>
<pubDate>Tue, 01 Dec 2026 09:30:00 +0000</pubDate>
<sparkle:version>2.1.0</sparkle:version>
<sparkle:shortVersionString>2.1.0</sparkle:shortVersionString>
<description>${html}</description>
<enclosure url="${download}/launcher-2.1.0.exe" length="84200000" type="application/octet-stream" sparkle:os="windows"></enclosure>
</item>
</channel>
</rss>
`

export const FEED_EXAMPLES = {
  'application/feed+json': JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'News',
    feed_url: `${news}?format=json-feed`,
    items: [{ id: 'launcher-2-1', title: 'Launcher 2.1', content_html: '<p>It starts twice as fast.</p>' }],
  }),
  'application/atom+xml': `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${news}?format=atom</id>
<title>News</title>
<updated>2026-12-01T09:30:00.000Z</updated>
<entry>
<id>${news}#launcher-2-1</id>
<title>Launcher 2.1</title>
<updated>2026-12-01T09:30:00.000Z</updated>
<content type="html">${html}</content>
</entry>
</feed>
`,
  'application/rss+xml': `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0">
<channel>
<title>News</title>
<link>${news}</link>
<description>News of the launcher</description>
<item>
<title>Launcher 2.1</title>
<guid isPermaLink="false">launcher-2-1</guid>
<pubDate>Tue, 01 Dec 2026 09:30:00 GMT</pubDate>
<description>${html}</description>
</item>
</channel>
</rss>
`,
}
