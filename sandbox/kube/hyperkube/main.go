// hyperkube is etcd and the Kubernetes control plane in one binary; the first argument chooses the part.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	part := ""
	if len(os.Args) > 1 {
		part = os.Args[1]
	}
	var command *cobra.Command
	switch part {
	case "etcd":
		// etcd parses its own arguments and never returns
		etcdmain.Main(os.Args[1:])
		return
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		command = controllers.NewControllerManagerCommand()
	case "kube-scheduler":
		command = scheduler.NewSchedulerCommand()
	default:
		fmt.Fprintln(os.Stderr, "usage: hyperkube etcd|kube-apiserver|kube-controller-manager|kube-scheduler [flags]")
		os.Exit(2)
	}
	os.Args = os.Args[1:]
	os.Exit(cli.Run(command))
}
