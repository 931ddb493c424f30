package deepseek

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"keylane/host/clock"
	"keylane/host/llm"
)

// ProviderID is the id the adapter registers under.
const ProviderID = "deepseek"

// ProviderName is what people read.
const ProviderName = "DeepSeek"

// DefaultBaseURL is the vendor's public endpoint.
const DefaultBaseURL = "https://api.deepseek.com"

// DefaultIdleTimeout is how long a call may be silent. While a request waits for a free machine the vendor sends comments, so silence
// means that something is wrong.
const DefaultIdleTimeout = 2 * time.Minute

// Reasons of an adapter that is not ready, as in llm.Info.
const (
	ReasonMissingKey = "missing-key"
	ReasonBadBaseURL = "bad-base-url"
)

// CodeInvalidConfig is the failure code of a call through an adapter whose base URL is none.
const CodeInvalidConfig = "INVALID_CONFIG"

// Config is what a composition decides. Zero values stand for the defaults; the key has none.
type Config struct {
	// BaseURL is an http or https URL; "/chat/completions" is appended to its path.
	BaseURL string
	// APIKey goes into the Authorization header and nowhere else.
	APIKey string
	// Key is asked for each call when APIKey is empty; nil has none. It may be slow as reading a small file is.
	Key func() string
	// Models is the catalogue; nil means DefaultModels.
	Models []llm.ModelInfo
	// IdleTimeout is how long nothing may come, also before the first byte.
	IdleTimeout time.Duration
	// HTTPClient sends the requests; nil means a client of the adapter's own. It must not follow redirects with the key.
	HTTPClient *http.Client
}

// DefaultModels is the vendor's catalogue.
func DefaultModels() []llm.ModelInfo {
	return []llm.ModelInfo{
		{ID: "deepseek-v4-flash", Name: "DeepSeek-V4-Flash", ContextWindow: 128_000},
		{ID: "deepseek-v4-pro", Name: "DeepSeek-V4-Pro", ContextWindow: 128_000},
	}
}

type adapter struct {
	config   Config
	endpoint string // "" when the base URL is none
	clock    clock.Clock
}

// New makes the adapter. A wrong configuration is reported by Info and by calls, because a host must start without a usable model.
func New(c Config, clk clock.Clock) llm.Adapter {
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	if c.Models == nil {
		c.Models = DefaultModels()
	}
	if c.IdleTimeout <= 0 {
		c.IdleTimeout = DefaultIdleTimeout
	}
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{
			Transport: ownTransport(),
			// A redirect of a call with a key is a wrong base URL, not a way to go.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	c.APIKey = strings.TrimSpace(c.APIKey)
	return &adapter{config: c, endpoint: endpointOf(c.BaseURL), clock: clk}
}

// ownTransport has its own connections, so that closing the adapter leaves none of them behind and closes nobody else's.
func ownTransport() http.RoundTripper {
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		return standard.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

// Close ends the connections that wait for another call. Calls that run are ended by their contexts.
func (a *adapter) Close() error {
	a.config.HTTPClient.CloseIdleConnections()
	return nil
}

// IsBaseURL tells whether calls can go to a base URL: to http or https, and to some host.
func IsBaseURL(base string) bool { return endpointOf(base) != "" }

func endpointOf(base string) string {
	parsed, err := url.Parse(strings.TrimSpace(base))
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return ""
	}
	return parsed.JoinPath("chat", "completions").String()
}

// Info is the catalogue, and whether calls have a chance.
func (a *adapter) Info() llm.Info {
	info := llm.Info{ID: ProviderID, Name: ProviderName, Models: append([]llm.ModelInfo(nil), a.config.Models...), Ready: true}
	switch {
	case a.endpoint == "":
		info.Ready, info.Reason = false, ReasonBadBaseURL
	case a.key() == "":
		info.Ready, info.Reason = false, ReasonMissingKey
	}
	return info
}

// Stream sends the request. Everything that can go wrong on the way arrives from the stream's Next.
func (a *adapter) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	if a.endpoint == "" {
		return nil, llm.NewError(CodeInvalidConfig, fmt.Sprintf(
			"the base URL %q of the provider DeepSeek is not an http(s) URL. Set baseURL of the row llm-deepseek, or DEEPSEEK_BASE_URL.", a.config.BaseURL), nil)
	}
	key := a.key()
	if key == "" {
		return nil, llm.NewError(llm.CodeAuthMissing,
			"No API key for DeepSeek. Enter one in the settings under Models, or set DEEPSEEK_API_KEY in the environment of the host and start it again.", nil)
	}
	body, err := encodeRequest(r)
	if err != nil {
		return nil, err
	}
	return a.open(ctx, key, body), nil
}

func (a *adapter) key() string {
	if a.config.APIKey == "" && a.config.Key != nil {
		return a.config.Key()
	}
	return a.config.APIKey
}
