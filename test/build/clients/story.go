// The README's story, told with what oapi-codegen makes of /openapi-3.0.json.
//
// story URL TOKEN RUNNER_GROUP CONFIG_FOLDER: syncs the app greeter, installs it for acme, runs its action greet,
// approves it, reads its log, and hears of it all by a webhook. Prints what came of it as JSON.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"story/svc"
)

const secret = "a secret that signs"

var ctx = context.Background()

func main() {
	url, token, runnerGroup, folder := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	client, err := svc.NewClientWithResponses(url, svc.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+token)
		return nil
	}))
	must(err)

	heard := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		event, isOurs := signedEvent(request)
		if !isOurs {
			answer.WriteHeader(http.StatusBadRequest)
			return
		}
		if event.Svckind == "workflow" {
			heard <- event.Data.Workflow.Type + " " + string(event.Svctransition)
		}
		answer.WriteHeader(http.StatusNoContent)
	}))
	hook := svc.NewWebhook{WebhookUrl: &receiver.URL, WebhookSecret: new(secret)}
	webhook, err := client.CreateWebhookWithResponse(ctx, nil, hook)
	must(err)
	webhookId := done(webhook.JSON201, webhook.Body).Id
	ping, err := client.PingWebhookWithResponse(ctx, webhookId, nil)
	must(err)
	pinged := done(ping.JSON200, ping.Body)

	app, err := client.CreateAppWithResponse(ctx, nil, svc.NewApp{Name: "greeter"})
	must(err)
	appId := done(app.JSON201, app.Body).Id
	synced, err := client.SyncAppConfigWithBodyWithResponse(ctx, appId, nil, "application/gzip", archiveOf(folder))
	must(err)
	config := done(synced.JSON201, synced.Body)

	var audience svc.NewInstall_Inputs_AdditionalProperties
	must(audience.FromNewInstallInputs0("world"))
	inputs := map[string]*svc.NewInstall_Inputs_AdditionalProperties{"audience": &audience}
	wanted := svc.NewInstall{Name: "acme", Inputs: &inputs, RunnerGroupId: &runnerGroup}
	made, err := client.CreateInstallWithResponse(ctx, "greeter", nil, wanted)
	must(err)
	install := done(made.JSON201, made.Body)
	provisioned := finished(client, *install.WorkflowId)

	begun, err := client.CreateActionRunWithResponse(ctx, install.Id, nil, svc.NewActionRun{Name: new("greet")})
	must(err)
	run := done(begun.JSON201, begun.Body)
	step := awaiting(settled(client, run.WorkflowId))
	contents, err := client.GetApprovalContentsWithResponse(ctx, run.WorkflowId, step.Id, step.Approval.Id, nil)
	must(err)
	yes := svc.NewApprovalResponse{ResponseType: svc.NewApprovalResponseResponseTypeApprove, PlanDigest: &step.Approval.PlanDigest}
	answer, err := client.RespondToApprovalWithResponse(ctx, run.WorkflowId, step.Id, step.Approval.Id, nil, yes)
	must(err)
	answered := done(answer.JSON201, answer.Body)
	end := finished(client, run.WorkflowId)

	ran, err := client.GetInstallActionRunWithResponse(ctx, install.Id, run.Id, nil)
	must(err)
	stream := done(ran.JSON200, ran.Body).LogStreamId
	logs, err := client.ListLogsWithResponse(ctx, *stream, &svc.ListLogsParams{Cursor: new("")})
	must(err)
	page, err := done(logs.JSON200, logs.Body).AsListLogs200JSONResponseBody0()
	must(err)
	lines := []string{}
	for _, record := range page.Items {
		lines = append(lines, record.Body)
	}
	// The ping's, and two of each workflow.
	events, late := []string{}, time.After(time.Minute)
	for len(events) < 5 {
		select {
		case event := <-heard:
			events = append(events, event)
		case <-late:
			must(fmt.Errorf("heard no more than %v", events))
		}
	}

	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"config":      []any{config.Version, config.Status},
		"provisioned": provisioned.Status.Status,
		"asked":       strings.Contains(string(contents.Body), "Hello"),
		"answered":    answered.Outcome,
		"ended":       end.Status.Status,
		"log":         lines,
		"pinged":      pinged.Result,
		"heard":       events,
	}))
}

// done is what a call answers; a refusal ends the story.
func done[Answer any](answer *Answer, body []byte) *Answer {
	if answer == nil {
		must(fmt.Errorf("refused: %s", body))
	}
	return answer
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settled is a workflow that has finished, or waits for a person.
func settled(client *svc.ClientWithResponses, id string) *svc.WholeWorkflow {
	for {
		answer, err := client.AwaitWorkflowWithResponse(ctx, id, nil)
		must(err)
		workflow := done(answer.JSON200, answer.Body)
		if workflow.Finished || workflow.Status.Status == "approval-awaiting" {
			return workflow
		}
	}
}

// finished is a workflow that has finished; one that was answered just now may seem to wait for a moment.
func finished(client *svc.ClientWithResponses, id string) *svc.WholeWorkflow {
	for {
		if workflow := settled(client, id); workflow.Finished {
			return workflow
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// awaiting is the step that waits for a person.
func awaiting(workflow *svc.WholeWorkflow) svc.WorkflowStep {
	for _, step := range workflow.Steps {
		if step.Status.Status == "approval-awaiting" && step.Approval != nil {
			return step
		}
	}
	must(fmt.Errorf("no step of %s waits for a person", workflow.Id))
	return svc.WorkflowStep{}
}

// signedEvent is a request's event, and whether its signature is good.
func signedEvent(request *http.Request) (svc.WorkflowEvent, bool) {
	var event svc.WorkflowEvent
	body, err := io.ReadAll(request.Body)
	must(err)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	signature := hex.EncodeToString(mac.Sum(nil))
	must(json.Unmarshal(body, &event))
	return event, hmac.Equal([]byte(signature), []byte(request.Header.Get("x-svc-signature")))
}

// archiveOf is a folder as a tar.gz.
func archiveOf(folder string) io.Reader {
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	files := tar.NewWriter(zip)
	must(files.AddFS(os.DirFS(folder)))
	must(files.Close())
	must(zip.Close())
	return &archive
}
