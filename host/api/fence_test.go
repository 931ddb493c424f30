package api_test

import (
	"net/http/httptest"
	"testing"

	"keylane/host/api"
)

func TestWhatConcernsTheMachineIsForLoopbackAlone(t *testing.T) {
	fence, err := api.NewFence([]string{"desk.example"})
	if err != nil {
		t.Fatal(err)
	}
	for method, privileged := range map[string]bool{
		"settings.describe": true, "settings.update": true, "settings.whateverComes": true,
		"host.listDirectory": true, "host.createDirectory": true,
		"session.list": false, "settings": false, "host.describe": false,
	} {
		for host, loopback := range map[string]bool{"127.0.0.1:3080": true, "localhost:3080": true, "[::1]:3080": true, "desk.example": false, "desk.example:3080": false} {
			r := httptest.NewRequest("POST", "/api/"+method, nil)
			r.Host = host
			if passed := fence.CheckCall(method, r) == nil; passed != (loopback || !privileged) {
				t.Errorf("%s under %s: passed is %v", method, host, passed)
			}
		}
		r := httptest.NewRequest("POST", "/api/"+method, nil)
		r.Host = "elsewhere.example"
		if fence.CheckCall(method, r) == nil {
			t.Errorf("%s passed under a foreign name", method)
		}
	}
}
