export const folderReadme = (call: string) => `# My menagerie

Everything that one service needs. Run the commands in this folder; \`menagerie\` stands for \`${call}\`.

| what | for |
|---|---|
| \`.env\` | the settings, each with its rule and default; keep it to yourself |
| \`content/\` | what is served: pictures, texts, releases, news; see \`content/README.md\` |
| \`data/\` | what the service writes: state, logs, and what can be made again |

\`\`\`sh
menagerie serve                                     # the service, on http://127.0.0.1:4010
menagerie doctor                                    # is all well, and what is to be done
menagerie content add cat ~/Pictures/cats           # your own pictures
menagerie token create dashboard --expires 90d      # opens the operator's endpoints to you
menagerie --help                                    # everything else
\`\`\`

Worth a backup: \`content/\`, \`.env\`, and a copy of the store (\`menagerie store copy current sqlite:backup.sqlite\`).
`

export const contentReadme = `# What is served

A good edit is live within two seconds, without a restart. A bad one changes nothing that is served; \`menagerie content check\` names file,
line and rule.

| where | what |
|---|---|
| \`animals/<kind>/\` | pictures (JPEG, PNG, WebP, GIF, AVIF); a new folder is a new kind. Built-in kinds without pictures are drawn. |
| \`animals/<kind>/credits.yaml\` | who made them, their licence, where they are from; see \`animals/README.md\` |
| \`kaomoji/<kind>.txt\`, \`string/<kind>.txt\` | texts, a line an item |
| \`yt-video/<kind>.yaml\` | videos by id and title |
| \`blocklist.txt\` | hosts that no image is fetched from, a domain a line |
| \`app/releases.yaml\`, \`app/resources.yaml\` | what launchers are offered; \`app/files/\` holds the files. Examples: replace them. |
| \`app/news/<name>.md\` | news, with a title and a date in front |
| \`app/tiers.yaml\` | what the tiers are given |

\`menagerie content add\` takes pictures in without the place where they were taken; \`menagerie release publish\` computes sizes and checksums.
`
