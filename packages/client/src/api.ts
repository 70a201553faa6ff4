// Made by `npm run docs` from the OpenAPI document of the service; edit the route tables instead.

/** An operator may add values to those that every service has. */
export type Open<Known extends string> = Known | (string & Record<never, never>)

export type Nothing = Record<never, never>

export interface Api {
  /** A random animal. */
  'GET /api/v1/animals/{endpoint}': {
    params: {
      readonly endpoint: Open<'cat' | 'dog' | 'fox' | 'fish' | 'alpaca' | 'bird'>
    }
    query: {
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'image'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly category: 'animals'
      readonly endpoint: Open<'cat' | 'dog' | 'fox' | 'fish' | 'alpaca' | 'bird'>
      /** Absolute URL of the picture. */
      readonly message: string
    }
  }
  /** A random text. */
  'GET /api/v1/string/{endpoint}': {
    params: {
      readonly endpoint: Open<'8ball'>
    }
    query: {
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'text'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly category: 'string'
      readonly endpoint: Open<'8ball'>
      /** The text. */
      readonly message: string
    }
  }
  /** A random kaomoji. */
  'GET /api/v1/kaomoji/{endpoint}': {
    params: {
      readonly endpoint: Open<'cat' | 'dog' | 'owo' | 'uwu' | 'love'>
    }
    query: {
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'text'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly category: 'kaomoji'
      readonly endpoint: Open<'cat' | 'dog' | 'owo' | 'uwu' | 'love'>
      /** The text. */
      readonly message: string
    }
  }
  /** Random animals. */
  'GET /api/v2/random/animal/{type}': {
    params: {
      readonly type: Open<'cat' | 'dog' | 'fox' | 'fish' | 'alpaca' | 'bird'>
    }
    query: {
      /** Several at once: `message` becomes an array, without repeats while the collection has enough. */
      readonly count?: number
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'image'
      /** Picture types to choose from. Comma-separated: jpeg, png, webp, gif, avif, svg. */
      readonly type?: string
      /** Picture types to leave out. Comma-separated: jpeg, png, webp, gif, avif, svg. */
      readonly exclude?: string
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly info: {
        readonly category: 'animals'
        readonly endpoint: Open<'cat' | 'dog' | 'fox' | 'fish' | 'alpaca' | 'bird'>
      }
      /** An array with `count`. */
      readonly message: string | readonly string[]
      readonly item?: {
        readonly id: string
        readonly type: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'svg'
        readonly width: number
        readonly height: number
        /** Null for a drawing that is not made yet, because many ask at once: it is made when it is fetched. */
        readonly size: number | null
        /** What the picture shows. */
        readonly alt: string | null
        /** Who made it. */
        readonly author: string | null
        /** Under which licence. */
        readonly license: string | null
        /** Where it is from. */
        readonly source: string | null
      }
      /** With `count`. */
      readonly items?: readonly {
        readonly id: string
        readonly type: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'svg'
        readonly width: number
        readonly height: number
        /** Null for a drawing that is not made yet, because many ask at once: it is made when it is fetched. */
        readonly size: number | null
        /** What the picture shows. */
        readonly alt: string | null
        /** Who made it. */
        readonly author: string | null
        /** Under which licence. */
        readonly license: string | null
        /** Where it is from. */
        readonly source: string | null
      }[]
    }
  }
  /** Random texts. */
  'GET /api/v2/random/string/{type}': {
    params: {
      readonly type: Open<'8ball'>
    }
    query: {
      /** Several at once: `message` becomes an array, without repeats while the collection has enough. */
      readonly count?: number
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'text'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly info: {
        readonly category: 'string'
        readonly endpoint: Open<'8ball'>
      }
      /** An array with `count`. */
      readonly message: string | readonly string[]
    }
  }
  /** Random kaomoji. */
  'GET /api/v2/random/kaomoji/{type}': {
    params: {
      readonly type: Open<'cat' | 'dog' | 'owo' | 'uwu' | 'love'>
    }
    query: {
      /** Several at once: `message` becomes an array, without repeats while the collection has enough. */
      readonly count?: number
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'text'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly info: {
        readonly category: 'kaomoji'
        readonly endpoint: Open<'cat' | 'dog' | 'owo' | 'uwu' | 'love'>
      }
      /** An array with `count`. */
      readonly message: string | readonly string[]
    }
  }
  /** Random videos. */
  'GET /api/v2/random/yt-video/{type}': {
    params: {
      readonly type: Open<'hl-cats'>
    }
    query: {
      /** Several at once: `message` becomes an array, without repeats while the collection has enough. */
      readonly count?: number
      /** Makes the choice repeatable while the collection stays the same. */
      readonly seed?: string
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'json' | 'text'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly info: {
        readonly category: 'yt-video'
        readonly endpoint: Open<'hl-cats'>
      }
      /** An array with `count`. */
      readonly message: string | readonly string[]
      readonly item?: {
        readonly id: string
        readonly title: string
      }
      /** With `count`. */
      readonly items?: readonly {
        readonly id: string
        readonly title: string
      }[]
    }
  }
  /** A picture, filtered. */
  'GET /api/v1/filter/{endpoint}': {
    params: {
      readonly endpoint: 'blur' | 'greyscale' | 'contrast' | 'invert' | 'dither565' | 'normalize'
    }
    query: {
      /** URL of the picture, percent-encoded. Mandatory. */
      readonly image?: string
      /** How strong: blur 1 to 256 (default 5), contrast -1 to 1 (default 0.1). Other filters ignore it. */
      readonly strength?: number
      /** Another format than that of the source. */
      readonly output?: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'image' | 'json'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly category: 'filter'
      readonly endpoint: 'blur' | 'greyscale' | 'contrast' | 'invert' | 'dither565' | 'normalize'
      /** Absolute URL that answers with the filtered picture. */
      readonly message: string
      readonly item: {
        readonly type: string
        readonly width: number
        readonly height: number
        /** Size in bytes. */
        readonly size: number
        /** Frames of an animation. */
        readonly pages: number
      }
    }
  }
  /** A picture, filtered. */
  'GET /api/v2/filter/{type}': {
    params: {
      readonly type: 'blur' | 'greyscale' | 'contrast' | 'invert' | 'dither565' | 'normalize'
    }
    query: {
      /** URL of the picture, percent-encoded. Mandatory. */
      readonly image?: string
      /** How strong: blur 1 to 256 (default 5), contrast -1 to 1 (default 0.1). Other filters ignore it. */
      readonly strength?: number
      /** Another format than that of the source. */
      readonly output?: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'
      /** Instead of what the `Accept` header prefers. */
      readonly format?: 'image' | 'json'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly info: {
        readonly category: 'filter'
        readonly endpoint: 'blur' | 'greyscale' | 'contrast' | 'invert' | 'dither565' | 'normalize'
      }
      /** Absolute URL that answers with the filtered picture. */
      readonly message: string
      readonly item: {
        readonly type: string
        readonly width: number
        readonly height: number
        /** Size in bytes. */
        readonly size: number
        /** Frames of an animation. */
        readonly pages: number
      }
    }
  }
  /** How often what was downloaded. */
  'GET /api/v5/{app}/stats/downloads': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly total: number
      readonly applications: Readonly<
        Record<
          string,
          {
            readonly total: number
            readonly versions: Readonly<Record<string, number>>
          }
        >
      >
      /** The last 30 days, UTC, today last. */
      readonly daily: readonly {
        readonly date: string
        readonly count: number
      }[]
    }
  }
  /** News of the launcher. */
  'GET /api/v5/{app}/launcher/news': {
    params: Nothing
    query: {
      /** Instead of what `Accept` prefers. */
      readonly format?: 'json' | 'json-feed' | 'atom' | 'rss'
    }
    reply: {
      readonly success: true
      readonly status: 200
      /** Newest first. */
      readonly news: readonly {
        readonly id: string
        readonly title: string
        /** ISO 8601, UTC. */
        readonly date: string
        readonly summary: string
        /** Safe to show: no scripts, handlers or foreign frames. */
        readonly html: string
        readonly url: string
      }[]
    }
  }
  /** What a patron tier gets. */
  'GET /api/v5/{app}/version/tier/{tier}': {
    params: {
      readonly tier: '2' | '3'
    }
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly tier: 2 | 3
      readonly name: string
      readonly message: {
        readonly resources: Readonly<Record<string, string>>
      }
      readonly benefits: readonly string[]
    }
  }
  /** Updates of the launcher. */
  'GET /api/v5/{app}/launcher/updates': {
    params: Nothing
    query: {
      /** The version that the caller has: only newer ones are told. */
      readonly current?: string
      /** beta also sees newer stable ones. */
      readonly channel?: 'stable' | 'beta'
      /** As Tauri's updater or as electron-updater expects it. */
      readonly format?: 'json' | 'tauri' | 'electron'
    }
    reply:
      | {
          readonly success: true
          readonly status: 200
          readonly latest: string | null
          /** With `current`. */
          readonly updateAvailable?: boolean
          /** Newest first. */
          readonly updates: readonly {
            readonly version: string
            readonly beta: boolean
            /** ISO 8601, UTC. */
            readonly releaseDate: string
            /** For people. */
            readonly size: string
            /** Size in bytes. */
            readonly bytes: number
            /** Where the download begins, and is counted. */
            readonly url: string
            /** SHA-256 in hexadecimal digits. */
            readonly sha256: string
            /** Markdown. */
            readonly notes: string
          }[]
        }
      | {
          readonly version: string
          /** ISO 8601, UTC. */
          readonly pub_date: string
          readonly url: string
          readonly signature: string
          readonly notes: string
        }
  }
  /** Updates of the launcher, as electron-updater asks for them. */
  'GET /api/v5/{app}/launcher/updates/{file}': {
    params: {
      readonly file:
        | 'latest.yml'
        | 'latest-mac.yml'
        | 'latest-linux.yml'
        | 'latest-linux-arm64.yml'
        | 'beta.yml'
        | 'beta-mac.yml'
        | 'beta-linux.yml'
        | 'beta-linux-arm64.yml'
    }
    query: Nothing
    reply: unknown
  }
  /** The newest version of an application. */
  'GET /api/v5/{app}/version/app/{application}': {
    params: {
      readonly application: 'launcher' | 'reshade' | 'fpsUnlocker'
    }
    query: {
      /** beta also sees newer stable ones. */
      readonly channel?: 'stable' | 'beta'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly launcher?: {
        readonly version: string
        readonly beta: boolean
        /** ISO 8601, UTC. */
        readonly releaseDate: string
        /** For people. */
        readonly size: string
        /** Size in bytes. */
        readonly bytes: number
        /** Where the download begins, and is counted. */
        readonly url: string
        /** SHA-256 in hexadecimal digits. */
        readonly sha256: string
        /** Markdown. */
        readonly notes: string
      }
      readonly reshade?: {
        readonly version: string
        readonly beta: boolean
        /** ISO 8601, UTC. */
        readonly releaseDate: string
        /** For people. */
        readonly size: string
        /** Size in bytes. */
        readonly bytes: number
        /** Where the download begins, and is counted. */
        readonly url: string
        /** SHA-256 in hexadecimal digits. */
        readonly sha256: string
        /** Markdown. */
        readonly notes: string
      }
      readonly fpsUnlocker?: {
        readonly version: string
        readonly beta: boolean
        /** ISO 8601, UTC. */
        readonly releaseDate: string
        /** For people. */
        readonly size: string
        /** Size in bytes. */
        readonly bytes: number
        /** Where the download begins, and is counted. */
        readonly url: string
        /** SHA-256 in hexadecimal digits. */
        readonly sha256: string
        /** Markdown. */
        readonly notes: string
      }
    }
  }
  /** The newest resources of the launcher. */
  'GET /api/v5/{app}/version/app/launcher/resources': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly message: string
      /** ISO 8601, UTC. */
      readonly date: string
      readonly size: string
      /** Size in bytes. */
      readonly bytes: number
      /** SHA-256 in hexadecimal digits. */
      readonly sha256: string
      readonly url: string
    }
  }
  /** Downloads an application. */
  'GET /api/v5/{app}/download/{application}': {
    params: {
      readonly application: 'launcher' | 'reshade' | 'fpsUnlocker'
    }
    query: {
      /** Another than the newest. */
      readonly version?: string
      /** beta also sees newer stable ones. */
      readonly channel?: 'stable' | 'beta'
    }
    reply: unknown
  }
  /** Downloads a version, under a path that ends in the name of its file. */
  'GET /api/v5/{app}/download/{application}/{version}/{name}': {
    params: {
      readonly application: 'launcher' | 'reshade' | 'fpsUnlocker'
      readonly version: string
      readonly name: string
    }
    query: Nothing
    reply: unknown
  }
  /** Downloads the resources of the launcher. */
  'GET /api/v5/{app}/download/launcher/resources': {
    params: Nothing
    query: Nothing
    reply: unknown
  }
  /** Asks the operator for a client key. */
  'POST /api/v5/{app}/clients': {
    params: Nothing
    query: Nothing
    body: {
      /** text of 2 to 80 characters without line breaks and control characters */
      readonly name: string
      /** text of 3 to 200 characters without line breaks and control characters */
      readonly contact: string
      /** text of 10 to 1000 characters without control characters */
      readonly reason: string
    }
    reply: {
      readonly success: true
      readonly status: 201
      /** Name it when you ask the operator. */
      readonly id: string
      readonly state: 'asked'
    }
  }
  /** Version of the service and of its runtime. */
  'GET /api/v1/version': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      /** The same as status; older programs read it. */
      readonly code: 200
      readonly version: string
      /** Version of the runtime, without a "v". */
      readonly node: string
      readonly commit: string | null
    }
  }
  /** How long the service has been running. */
  'GET /api/v1/uptime': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      /** The same as status; older programs read it. */
      readonly code: 200
      readonly time: string
      readonly full: string
      /** Seconds. */
      readonly uptime: number
      /** ISO 8601, UTC. */
      readonly startedAt: string
    }
  }
  /** The static files that the service generates. */
  'GET /api/v1/static/generated': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly path: string
      readonly files: readonly {
        readonly name: string
        /** What to ask for next. */
        readonly path: string
        readonly isDir: boolean
        /** Size in bytes. */
        readonly size: number
        /** Null for a folder. */
        readonly sha256: string | null
        /** ISO 8601, UTC. */
        readonly modifiedAt: string
      }[]
    }
  }
  /** A generated file, or a folder of them. */
  'GET /api/v1/static/generated/{path}': {
    params: {
      /** A path that the listing names; may be nested. */
      readonly path: string
    }
    query: Nothing
    reply:
      | {
          readonly success: true
          readonly status: 200
          readonly path: string
          readonly files: readonly {
            readonly name: string
            /** What to ask for next. */
            readonly path: string
            readonly isDir: boolean
            /** Size in bytes. */
            readonly size: number
            /** Null for a folder. */
            readonly sha256: string | null
            /** ISO 8601, UTC. */
            readonly modifiedAt: string
          }[]
        }
      | {
          readonly success: true
          readonly status: 200
          readonly path: string
          /** Size in bytes. */
          readonly size: number
          /** SHA-256 in hexadecimal digits. */
          readonly sha256: string
          /** ISO 8601, UTC. */
          readonly modifiedAt: string
          readonly encoding: 'json' | 'utf8' | 'base64'
          /** The parsed value for json, text for utf8 and base64. */
          readonly content: unknown
        }
  }
  /** The log files. */
  'GET /api/v1/static/logs': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly files: readonly {
        readonly fileName: string
        /** Size in bytes. */
        readonly size: number
        /** ISO 8601, UTC. */
        readonly modifiedAt: string
      }[]
    }
  }
  /** The newest lines of a log file. */
  'GET /api/v1/static/logs/{fileName}': {
    params: {
      /** A name that the listing gives. */
      readonly fileName: string
    }
    query: {
      /** How many lines at the most. */
      readonly lines?: number
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly fileName: string
      /** Size in bytes. */
      readonly size: number
      /** ISO 8601, UTC. */
      readonly modifiedAt: string
      /** Lines of the whole file. */
      readonly total: number
      /** There are more lines than are shown. */
      readonly truncated: boolean
      /** The newest, oldest of them first. A line that is no JSON object comes as {"text": …}. */
      readonly lines: readonly Readonly<Record<string, unknown>>[]
    }
  }
  /** The lists whose digests are given. */
  'GET /api/v1/static/cache': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly files: readonly {
        readonly path: string
        /** SHA-256 in hexadecimal digits. */
        readonly sha256: string
        /** Size in bytes. */
        readonly size: number
        /** Domains on the list. */
        readonly entries: number
        /** ISO 8601, UTC. */
        readonly modifiedAt: string
        /** Where the list is from. */
        readonly source: string
      }[]
    }
  }
  /** SHA-256 of the blocking list. */
  'GET /api/v1/static/cache/{path}': {
    params: {
      /** The name of a list. */
      readonly path: string
    }
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly path: string
      /** SHA-256 in hexadecimal digits. */
      readonly sha256: string
      /** Size in bytes. */
      readonly size: number
      /** Domains on the list. */
      readonly entries: number
      /** ISO 8601, UTC. */
      readonly modifiedAt: string
      /** Where the list is from. */
      readonly source: string
      /** The digest, once more; older programs read it. */
      readonly message: string
      readonly type: 'sha256'
    }
  }
  /** How the service is. */
  'GET /api/v5/{app}/operator/overview': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly overview: {
        /** What runs. */
        readonly version: Readonly<Record<string, unknown>>
        readonly time: string
        readonly full: string
        /** Seconds since the service was started. */
        readonly uptime: number
        /** ISO 8601, UTC. */
        readonly startedAt: string
        /** What all processes of the node answered since the start. */
        readonly traffic: Readonly<Record<string, unknown>>
        readonly downloads: Readonly<Record<string, unknown>> | null
        /** Downloads in all processes of the node: counted since the start, not in the store yet, lost for want of room. */
        readonly counter: {
          readonly counted: number
          readonly waiting: number
          readonly lost: number
          /** Why the store did not take what waits, in one of the processes. */
          readonly trouble?: string
          /** Why the disk did not take it either. */
          readonly diskTrouble?: string
        }
        /** Image filters in all processes of the node; replies and sourceReads are counted since the start. */
        readonly pipeline: {
          readonly running: number
          readonly waiting: number
          readonly overdue: number
          /** In one of the processes all jobs take far longer than they may. */
          readonly stuck: boolean
          readonly caches: Readonly<
            Record<
              string,
              {
                readonly entries: number
                readonly bytes: number
              }
            >
          >
          readonly replies: Readonly<Record<string, number>>
          readonly sourceReads: Readonly<Record<string, number>>
        }
        readonly sharedPictures: Readonly<Record<string, unknown>> | null
        /** How the process that answers fares with the limits that nodes share. */
        readonly limits: Readonly<Record<string, unknown>>
        readonly store: Readonly<Record<string, unknown>> | null
        readonly blocklist: Readonly<Record<string, unknown>> | null
        readonly access: 'open' | 'registered'
        /** Kinds by category. */
        readonly content: Readonly<Record<string, unknown>>
        /** As the process that answers sees them. */
        readonly problems: readonly {
          /** Of the service. */
          readonly part: string
          readonly message: string
          readonly file?: string
          readonly line?: number
          readonly rule?: string
        }[]
      }
    }
  }
  /** Whose token this is, and what it may. */
  'GET /api/v5/{app}/operator/token': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly token: {
        readonly id: string
        readonly label: string
        readonly scopes: readonly ('read' | 'write')[]
        readonly expiresAt: string | null
      }
      /** The address that the request came from, as a ban would name it. */
      readonly client: string
    }
  }
  /** The last hour, slot by slot. */
  'GET /api/v5/{app}/operator/live': {
    params: Nothing
    query: {
      /** Only from this slot: ms since 1970. */
      readonly since?: number
      /** Seconds of a slot. */
      readonly step?: '5' | '15' | '60'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly live: {
        /** The node that answers, with all its processes; each has a history of its own. */
        readonly node: string
        readonly now: string
        /** Seconds of a slot. */
        readonly step: number
        /** When each slot begins: ms since 1970. */
        readonly at: readonly number[]
        /** How much of each slot is counted; the last may be under way. */
        readonly seconds: readonly number[]
        readonly statuses: {
          readonly '2xx': readonly number[]
          readonly '3xx': readonly number[]
          readonly '4xx': readonly number[]
          readonly '5xx': readonly number[]
        }
        /** Requests by group of endpoints, as the reference names them. */
        readonly groups: Readonly<Record<string, readonly number[]>>
        /** Requests by filter. */
        readonly filters: Readonly<Record<string, readonly number[]>>
        /** How long replies took, in ms; null where there were none. */
        readonly latency: {
          readonly p50: readonly (number | null)[]
          readonly p95: readonly (number | null)[]
          readonly p99: readonly (number | null)[]
        }
        /** How long image filters took, in ms; null where there were none. */
        readonly filterLatency: {
          readonly p50: readonly (number | null)[]
          readonly p95: readonly (number | null)[]
          readonly p99: readonly (number | null)[]
        }
        /** Filter replies by X-Cache. */
        readonly cache: {
          readonly hit: readonly number[]
          readonly miss: readonly number[]
          readonly shared: readonly number[]
        }
        readonly bytes: readonly number[]
        /** The highest in each slot: filter jobs, jobs that wait, bytes in the caches of filters, bytes of memory, ms that the event loop was late, share of a core. */
        readonly measures: {
          readonly running: readonly number[]
          readonly waiting: readonly number[]
          readonly cacheBytes: readonly number[]
          readonly memory: readonly number[]
          readonly lag: readonly number[]
          readonly cpu: readonly number[]
        }
      }
    }
  }
  /** What is published, and what is wrong with it. */
  'GET /api/v5/{app}/operator/content': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly problems: readonly {
        /** Of the service. */
        readonly part: string
        readonly message: string
        readonly file?: string
        readonly line?: number
        readonly rule?: string
      }[]
      /** Scheduled and withdrawn ones, too. */
      readonly releases: Readonly<
        Record<
          string,
          readonly {
            readonly version: string
            /** ISO 8601, UTC. */
            readonly date: string
            /** Size in bytes. */
            readonly bytes: number
            readonly file?: string
            readonly url?: string
            readonly beta: boolean
            /** Percent of the clients. */
            readonly rollout: number
            readonly withdrawn: boolean
          }[]
        >
      >
      readonly resources: readonly {
        readonly version: string
        /** ISO 8601, UTC. */
        readonly date: string
        /** Size in bytes. */
        readonly bytes: number
        readonly file?: string
        readonly url?: string
      }[]
      readonly news: readonly {
        readonly id: string
        readonly title: string
        /** ISO 8601, UTC. */
        readonly date: string
        readonly file: string
      }[]
      readonly tiers: readonly (2 | 3)[]
    }
  }
  /** Downloads by day, application and version. */
  'GET /api/v5/{app}/operator/downloads': {
    params: Nothing
    query: {
      /** So many days up to today, UTC. */
      readonly days?: number
      readonly format?: 'json' | 'csv'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly downloads: readonly {
        /** UTC. */
        readonly day: string
        readonly application: string
        readonly version: string
        readonly count: number
      }[]
    }
  }
  /** Who is banned, and why. */
  'GET /api/v5/{app}/operator/bans': {
    params: Nothing
    query: {
      /** So many of the newest bans. */
      readonly limit?: number
      /** Leaves so many of the newest bans out. */
      readonly offset?: number
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly bans: readonly {
        /** An address, or the /64 of one. */
        readonly address: string
        readonly reason: string
        readonly by: string
        /** ISO 8601, UTC. */
        readonly at: string
        /** ISO 8601, UTC. */
        readonly until: string
      }[]
      /** How many there are. */
      readonly total: number
    }
  }
  /** Bans an address. */
  'POST /api/v5/{app}/operator/bans': {
    params: Nothing
    query: Nothing
    body: {
      /** An IP address; of an IPv6 address the /64 is banned. */
      readonly address: string
      readonly reason?: string
      readonly hours?: number
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly ban: {
        /** An address, or the /64 of one. */
        readonly address: string
        readonly reason: string
        readonly by: string
        /** ISO 8601, UTC. */
        readonly at: string
        /** ISO 8601, UTC. */
        readonly until: string
      }
    }
  }
  /** Lifts a ban. */
  'DELETE /api/v5/{app}/operator/bans/{address}': {
    params: {
      /** As the list gives it, or any address of that /64. */
      readonly address: string
    }
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly address: string
    }
  }
  /** Who asked for a key, and what was decided. */
  'GET /api/v5/{app}/operator/clients': {
    params: Nothing
    query: {
      readonly state?: 'asked' | 'granted' | 'refused' | 'revoked'
    }
    reply: {
      readonly success: true
      readonly status: 200
      readonly clients: readonly {
        readonly id: string
        readonly name: string
        readonly contact: string
        readonly reason: string
        readonly state: 'asked' | 'granted' | 'refused' | 'revoked'
        /** ISO 8601, UTC. */
        readonly createdAt: string
        readonly decidedAt: string | null
      }[]
    }
  }
  /** Gives a client its key; the reply shows it this once. */
  'POST /api/v5/{app}/operator/clients/{id}/grant': {
    params: {
      /** As the list of clients gives it. */
      readonly id: string
    }
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      /** Shown this once. */
      readonly key: string
      readonly client: {
        readonly id: string
        readonly name: string
        readonly contact: string
        readonly reason: string
        readonly state: 'asked' | 'granted' | 'refused' | 'revoked'
        /** ISO 8601, UTC. */
        readonly createdAt: string
        readonly decidedAt: string | null
      }
    }
  }
  /** Refuses a request. */
  'POST /api/v5/{app}/operator/clients/{id}/refuse': {
    params: {
      /** As the list of clients gives it. */
      readonly id: string
    }
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly client: {
        readonly id: string
        readonly name: string
        readonly contact: string
        readonly reason: string
        readonly state: 'asked' | 'granted' | 'refused' | 'revoked'
        /** ISO 8601, UTC. */
        readonly createdAt: string
        readonly decidedAt: string | null
      }
    }
  }
  /** Takes the key of a client back. */
  'POST /api/v5/{app}/operator/clients/{id}/revoke': {
    params: {
      /** As the list of clients gives it. */
      readonly id: string
    }
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly client: {
        readonly id: string
        readonly name: string
        readonly contact: string
        readonly reason: string
        readonly state: 'asked' | 'granted' | 'refused' | 'revoked'
        /** ISO 8601, UTC. */
        readonly createdAt: string
        readonly decidedAt: string | null
      }
    }
  }
  /** Reads all files again. */
  'POST /api/v5/{app}/operator/reload': {
    params: Nothing
    query: Nothing
    reply: {
      readonly success: true
      readonly status: 200
      readonly problems: readonly {
        /** Of the service. */
        readonly part: string
        readonly message: string
        readonly file?: string
        readonly line?: number
        readonly rule?: string
      }[]
    }
  }
}

export type ServiceErrorCode =
  | 'BAD_PATH'
  | 'BAD_REQUEST'
  | 'BANNED'
  | 'BODY_TOO_LARGE'
  | 'BUSY'
  | 'CLIENT_DECIDED'
  | 'CLIENT_KEY_INVALID'
  | 'CLIENT_KEY_REQUIRED'
  | 'EXPECTATION_FAILED'
  | 'FILE_GONE'
  | 'HEADERS_TOO_LARGE'
  | 'IMAGE_ADDRESS_FORBIDDEN'
  | 'IMAGE_HOST_BLOCKED'
  | 'IMAGE_MISSING'
  | 'IMAGE_TIMEOUT'
  | 'IMAGE_TOO_LARGE'
  | 'IMAGE_TOO_MANY_PIXELS'
  | 'IMAGE_TYPE_UNSUPPORTED'
  | 'IMAGE_UNREACHABLE'
  | 'IMAGE_UNREADABLE'
  | 'IMAGE_URL_INVALID'
  | 'INTERNAL_ERROR'
  | 'INVALID_BODY'
  | 'INVALID_PARAMETER'
  | 'INVALID_VERSION'
  | 'MEDIA_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'METRICS_NOT_ALLOWED'
  | 'NOT_BANNED'
  | 'NOT_PUBLISHED'
  | 'NOT_READY'
  | 'NOTHING_MATCHES'
  | 'RANGE_NOT_SATISFIABLE'
  | 'RATE_LIMITED'
  | 'REPEATED_PARAMETER'
  | 'REQUEST_TIMEOUT'
  | 'STORE_UNAVAILABLE'
  | 'STRENGTH_NOT_A_NUMBER'
  | 'STRENGTH_OUT_OF_RANGE'
  | 'TOKEN_INVALID'
  | 'TOKEN_REQUIRED'
  | 'TOKEN_SCOPE_MISSING'
  | 'TOO_MANY_REQUESTS_OPEN'
  | 'UNKNOWN_APPLICATION'
  | 'UNKNOWN_CLIENT'
  | 'UNKNOWN_FILE'
  | 'UNKNOWN_KIND'
  | 'UNKNOWN_PATH'
  | 'UNKNOWN_TIER'
  | 'UNKNOWN_TOKEN'
  | 'URI_TOO_LONG'
