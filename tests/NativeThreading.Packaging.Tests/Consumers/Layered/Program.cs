Console.WriteLine(await Between.Reports.RunAsync());
